import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { post, rpc } from '../../helpers/clients/mcp-requests.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { type LocalSignIn, revoke, signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { createProjectFolder } from '../../helpers/daemon/project-folder.ts'
import { redeem, refresh, type Tokens } from '../../sdk/oauth/support/flow.ts'

// Each test runs several programs in sequence, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Tests revoked tokens on instances, which verify requests without asking the daemon. */
let daemon: TestDaemon
let port: number
let project: ReturnType<typeof createProjectFolder>
let deployed: { url: string; deployment_id: string; sign_in: { issuer: string } }
let issuer: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  port = daemon.daemon.port
  project = createProjectFolder({
    'tools/who.ts': `export default { description: 'Who', handler: () => 'you' }`,
  })
  deployed = await deploy()
  issuer = deployed.sign_in.issuer
})
afterAll(async () => {
  await daemon.close()
  project[Symbol.dispose]()
})

const deploy = (name = 'who') =>
  deployFolder(daemon, name, project.path, {
    config: { auth: { provider: 'local' }, scaling: { min_instances: 2, max_instances: 2 } },
  })
const signIn = () => signInWithKey(issuer, daemon.ownerKey)

/** Sends requests over separate connections, so that every instance gets some. Returns the distinct statuses. */
async function statuses({ tokens }: Pick<LocalSignIn, 'tokens'>, url = deployed.url): Promise<number[]> {
  const initialize = rpc('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  const asked = Array.from({ length: 8 }, () =>
    post(url, initialize, { authorization: `Bearer ${tokens.access_token}` }),
  )
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))]
}

const isRefused = (signedIn: Pick<LocalSignIn, 'tokens'>, url?: string) =>
  eventually(async () => (await statuses(signedIn, url)).join() === '401')

test('every instance rejects a revoked access token and accepts other tokens of the user', async () => {
  const [gone, stays] = [await signIn(), await signIn()]
  expect(await statuses(gone)).toEqual([200])
  expect(await revoke(issuer, gone, gone.tokens.access_token)).toBe(200)
  await isRefused(gone)
  expect(await statuses(stays)).toEqual([200])
})

test('revoking a refresh token revokes all access tokens of the sign-in', async () => {
  const first = await signIn()
  const { client_id, tokens } = first
  const second = (await (
    await refresh(`${issuer}/oauth`, tokens.refresh_token!, { client_id })
  ).json()) as Tokens
  expect(await revoke(issuer, first, second.refresh_token!)).toBe(200)
  await isRefused({ tokens: second })
  await isRefused(first)
})

test('reusing a code revokes the tokens issued for it', async () => {
  const stolen = await signIn()
  expect(await statuses(stolen)).toEqual([200])
  const { client_id, flow, code } = stolen
  expect((await redeem(`${issuer}/oauth`, flow, code, { client_id })).status).toBe(400)
  await isRefused(stolen)
})

test('instances that start after a deployment restart, a release or a daemon restart reject revoked tokens', async () => {
  const gone = await signIn()
  await revoke(issuer, gone, gone.tokens.access_token)
  await isRefused(gone)
  await daemon.api('POST', `/v1/deploy/${deployed.deployment_id}/restart`)
  expect(await statuses(gone)).toEqual([401])
  deployed = await deploy()
  expect(await statuses(gone)).toEqual([401])
  await daemon.restart({ port })
  expect(await statuses(gone)).toEqual([401])
  expect(await statuses(await signIn())).toEqual([200])
})

test('removing a server removes its clients, grants and keys, even for a new server with the same name', async () => {
  const first = await deploy('passing')
  const old = await signInWithKey(first.sign_in.issuer, daemon.ownerKey)
  expect(await statuses(old, first.url)).toEqual([200])
  const { body } = await daemon.api('GET', `/v1/deploy/${first.deployment_id}/status`)
  await daemon.api('POST', `/v1/deploy/${first.deployment_id}/stop`)
  expect((await daemon.api('DELETE', `/v1/deploy/${first.deployment_id}`)).status).toBeLessThan(300)
  expect((await daemon.api('DELETE', `/v1/build/${body.data.mcp_id}`)).status).toBeLessThan(300)
  const again = await deploy('passing')
  // If the new server has another port, its resource differs as well, and the refused refresh below is the proof.
  expect(await statuses(old, again.url)).toEqual([401])
  const { client_id, tokens } = old
  const refreshed = await refresh(`${again.sign_in.issuer}/oauth`, tokens.refresh_token!, { client_id })
  expect(refreshed.status).toBe(401)
  const fresh = await signInWithKey(again.sign_in.issuer, daemon.ownerKey)
  expect(await statuses(fresh, again.url)).toEqual([200])
})
