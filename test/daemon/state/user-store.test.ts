import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postModern } from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { storeTool } from '../../helpers/daemon/store-tool.ts'
import { type IdentityProvider, startIdentityProvider } from '../../sdk/oauth/support/identity-provider.ts'
import { createClientMemory } from '../../sdk/oauth/support/oauth-client.ts'

let daemon: TestDaemon
let provider: IdentityProvider
let url: string
let account = ''

beforeAll(async () => {
  daemon = await startTestDaemon()
  const callback = `${daemon.url}/auth/diary/production/oauth/callback`
  provider = await startIdentityProvider(callback, { account: () => account })
  const { issuer, config } = provider
  const auth = {
    provider: 'openid',
    issuer,
    client_id: config.clientId,
    client_secret: config.clientSecret,
  }
  using project = createProjectFolder({ 'tools/run.ts': storeTool(1) })
  url = (await deployFolder(daemon, 'diary', project.path, { config: { auth } })).url
})
afterAll(async () => {
  await daemon.close()
  await provider[Symbol.asyncDispose]()
})

/** Returns a function that runs operations with the access token of this user. */
async function signInAs(user: string) {
  account = user
  const memory = createClientMemory()
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: memory })
  await expect(new Client({ name: 'client', version: '1.0.0' }).connect(transport)).rejects.toThrow()
  const answer = await memory.approveInBrowser()
  await transport.finishAuth(answer.get('code')!, answer.get('iss')!)
  const headers = { authorization: `Bearer ${memory.tokens().access_token}` }
  return async (op: string, args: unknown[], at?: string) => {
    const params = { name: 'run', arguments: { op, args, ...(at && { at }) } }
    const { json } = await postModern(url, 'tools/call', params, headers)
    return JSON.parse(json.result.content[0].text).result
  }
}

test('two signed-in users have separate entries in store.user, and share the entries in the store', async () => {
  const ada = await signInAs('ada')
  const grace = await signInAs('grace')
  await Promise.all([ada('set', ['mood', 'fine'], 'user'), grace('set', ['mood', 'great'], 'user')])
  expect(await ada('list', [''], 'user')).toEqual([{ key: 'mood', value: 'fine' }])
  expect(await grace('list', [''], 'user')).toEqual([{ key: 'mood', value: 'great' }])
  expect(await grace('delete', ['mood'], 'user')).toBe(true)
  expect(await ada('get', ['mood'], 'user')).toBe('fine')
  await ada('set', ['motto', 'together'])
  expect(await grace('get', ['motto'])).toBe('together')
  expect(await grace('get', ['mood'])).toBeNull()
})
