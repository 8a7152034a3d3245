import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SignInClient, SignInGrant } from '../../../src/shared/contract/access/sign-ins.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { signInWithKey } from '../../helpers/daemon/local-sign-in.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'
import { writeServer } from './write-server.ts'

let home: TestHome
let issuer: string

beforeAll(async () => {
  home = await startHome()
  const project = writeServer(home, 'guarded')
  const deployed = await home.json<{ deployment_id: string; sign_in: { issuer: string } }>([
    ...['deploy', project, '--env', 'staging', '--auth', 'local'],
  ])
  issuer = deployed.sign_in.issuer
})

afterAll(() => home.remove())

const grants = async () => (await home.json<{ items: SignInGrant[] }>(['grants', 'guarded'])).items
const clients = async () => (await home.json<{ items: SignInClient[] }>(['clients', 'guarded'])).items

test('grants lists grants, and grants revoke revokes one', async () => {
  expect((await home.mcp(['grants', 'guarded'])).stdout).toBe('guarded has no sign-in grants.\n')
  const { client_id } = await signInWithKey(issuer, home.apiKey())
  const [grant] = (await grants()) as [SignInGrant]
  const { stdout } = await home.mcp(['grants', '--client', client_id])
  expect(stdout).toMatch(/^ID +USER +CLIENT +ENVIRONMENT +SCOPES +AGE +LAST REFRESH +EXPIRES\n/)
  expect(stdout).toMatch(/ local\|usr_\w+ .* staging +openid profile email .* never +\d{4}-\d\d-\d\d\n/)
  expect((await home.mcp(['grants', 'guarded', '--quiet'])).stdout).toBe(`${grant.id}\n`)
  expect((await home.mcp(['grants', 'guarded', '--user', 'github|42'])).stdout).toBe(
    'guarded has no sign-in grants.\n',
  )

  const revoke = ['grants', 'revoke', grant.id.slice(0, 8), '--server', 'guarded']
  expect((await home.mcp(revoke)).stderr).toContain('--yes')
  expect(await home.json([...revoke, '--yes'])).toEqual({ revoked: grant.id })
  expect(await grants()).toEqual([])
  expect((await home.mcp([...revoke, '--yes'])).code).toBe(4)
})

test('clients lists clients, and clients remove removes one with its grants', async () => {
  const { client_id } = await signInWithKey(issuer, home.apiKey())
  const { stdout } = await home.mcp(['clients', 'guarded', '--env', 'staging'])
  expect(stdout).toMatch(/^ID +NAME +ENVIRONMENT +KIND +REDIRECTS TO +AGE +LAST USE +GRANTS\n/m)
  const remove = ['clients', 'remove', client_id, '--server', 'guarded', '--yes']
  expect(await home.json(remove)).toEqual({ removed: client_id, revokedGrants: 1 })
  expect((await clients()).map(({ id }) => id)).not.toContain(client_id)
  expect((await home.mcp(['clients', 'guarded', '--quiet'])).stdout).not.toContain(client_id)
  expect((await home.mcp(remove)).code).toBe(4)
})
