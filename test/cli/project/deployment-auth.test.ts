import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseAuth } from '../../../src/cli/project/deployment-auth.ts'
import type { DeploymentAuth } from '../../../src/shared/contract/deployments/deployment-auth.ts'
import { callTool } from '../../helpers/daemon/daemon.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

const base: DeploymentAuth = {
  provider: 'keycloak',
  url: 'https://id.example.com',
  realm: 'r',
  scopes: ['a'],
}
const client = { KEYCLOAK_CLIENT_ID: 'id', KEYCLOAK_CLIENT_SECRET: 'secret' }

describe('the sign-in settings of a deployment', () => {
  it('--set provides the client values for sign-in settings in the project file, and does not pass them to the server', () => {
    const chosen = chooseAuth({ base, flag: undefined, envVars: { ...client, API_URL: 'u' }, env: {} })
    expect(chosen).toEqual({
      auth: { ...base, client_id: 'id', client_secret: 'secret' },
      envVars: { API_URL: 'u' },
    })
  })

  it('client values can come from environment variables of the command', () => {
    const { auth } = chooseAuth({ base, flag: undefined, envVars: {}, env: client })
    expect(auth).toMatchObject({ client_id: 'id', client_secret: 'secret' })
  })

  it('--auth overrides the sign-in provider in the project file and keeps the scopes', () => {
    const local = chooseAuth({ base, flag: 'local', envVars: {}, env: {} })
    expect(local.auth).toEqual({ provider: 'local', scopes: ['a'] })
    expect(chooseAuth({ base, flag: 'none', envVars: {}, env: {} }).auth).toBeUndefined()
    expect(chooseAuth({ base: undefined, flag: undefined, envVars: {}, env: {} }).auth).toBeUndefined()
  })

  it('a sign-in without its client values is rejected with a list of missing variables', () => {
    const choose = () => chooseAuth({ base: undefined, flag: 'microsoft', envVars: {}, env: {} })
    expect(choose).toThrow(
      'Sign-in with microsoft is incomplete: MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET, MICROSOFT_TENANT are not set.',
    )
  })
})

describe('a project that requires sign-in', () => {
  let home: TestHome
  let folder: string
  beforeAll(async () => {
    home = await startHome()
    folder = join(home.dir, 'hello')
    mkdirSync(folder)
    const tools = [
      {
        name: 'hello',
        description: 'Says hello',
        inputSchema: { type: 'object' },
        annotations: { readOnlyHint: true },
        handler: { type: 'template', text: 'Hello' },
      },
    ]
    const deploy = { development: { auth: { provider: 'local' } } }
    const project = { name: 'hello', template: 'basic', tools, deploy }
    writeFileSync(join(folder, 'mcp.config.json'), JSON.stringify(project))
  })
  afterAll(() => home.remove())

  it("mcp up calls the preview of a project that requires sign-in, and the deployment's URL requires a token", async () => {
    const up = await home.json<{ url: string; call: { tool: string } }>(['up', folder])
    expect(up.call.tool).toBe('hello')
    expect((await fetch(up.url, { method: 'POST' })).status).toBe(401)
    const refused = await home.mcp(['tools', up.url])
    expect(refused.stderr).toContain('requires sign-in')
  })

  it('a project that requires sign-in is deployed with the redirect URL for the identity provider, or without sign-in with --auth none', async () => {
    type Deployed = { url: string; sign_in?: { issuer: string; callback_url: string } }
    const kept = await home.json<Deployed>(['deploy', folder])
    expect(kept.sign_in?.callback_url).toMatch(/\/auth\/hello\/development\/oauth\/callback$/)
    const open = await home.json<Deployed>(['deploy', folder, '--auth', 'none'])
    expect(open.sign_in).toBeUndefined()
    expect((await callTool(open.url, 'hello')).content[0].text).toBe('Hello')
  })
})
