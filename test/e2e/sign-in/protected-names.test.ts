import { afterAll, beforeAll, expect, test } from 'vitest'
import { modern, modernHeaders, open, post, readEvents, rpc } from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'

/** A protected server with several instances and a named URL. Tokens are valid for that URL only. */
let daemon: TestDaemon
/** The named URL, and the same URL with 127.0.0.1, which needs no name resolution. */
let named: string
let loopbackUrl: string
let byName: Record<string, string>
let deployed: { url: string; sign_in: { issuer: string } }

beforeAll(async () => {
  daemon = await startTestDaemon({ namedPorts: { http: 0, https: 0 } })
  using project = createProjectFolder({
    'tools/who.ts': `const me = crypto.randomUUID()
export default { description: 'Who', handler: (_args, { auth }) => me + ' ' + auth.subject }`,
  })
  const config = { auth: { provider: 'local' }, scaling: { min_instances: 2, max_instances: 2 } }
  deployed = await deployFolder(daemon, 'named', project.path, { config })
  const { body } = await daemon.api('GET', '/v1/deploy?name=named&status=deployed')
  named = (body.data.items[0].named_urls as string[]).find(url => url.startsWith('http:'))!
  loopbackUrl = named.replace(/\/\/[^:]+/, '//127.0.0.1')
  const { tokens } = await signInWithKey(deployed.sign_in.issuer, daemon.ownerKey, named)
  byName = { host: new URL(named).host, authorization: `Bearer ${tokens.access_token}` }
})
afterAll(() => daemon.close())

async function beginSession(): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } }
  const { status, headers } = await post(loopbackUrl, rpc('initialize', params), byName)
  expect(status).toBe(200)
  return {
    ...byName,
    'mcp-session-id': String(headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  }
}

test('a session accepts requests over any connection with the token for the named URL', async () => {
  const session = await beginSession()
  // While these connections are open, the next one goes to the other instance.
  const listen = async () => {
    const body = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const headers = { ...modernHeaders('subscriptions/listen'), ...byName }
    const events = readEvents(await open(loopbackUrl, { body, headers }))
    await events.next()
    return events
  }
  const held = [await listen(), await listen(), await listen()]
  const answers = []
  for (let count = 0; count < 6; count++)
    answers.push(await post(loopbackUrl, rpc('tools/call', { name: 'who' }), session))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect(new Set(answers.map(({ json }) => json.result.content[0].text)).size).toBe(1)
  for (const events of held) events.close()
})

test('requests that claim to have been relayed from the named URL are rejected', async () => {
  const { authorization } = byName
  for (const arrival of [named, `${named} `, `${named} ${'A'.repeat(43)}`]) {
    const headers = { authorization: authorization!, 'mcp-hosting-arrival': arrival }
    const { status } = await post(deployed.url, rpc('tools/list'), headers)
    expect(status).toBe(401)
  }
})
