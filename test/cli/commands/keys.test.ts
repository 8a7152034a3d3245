import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CreatedKey, KeyRecord } from '../../../src/shared/contract/access/api-keys.ts'
import { send } from '../../helpers/clients/mcp-requests.ts'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import type { TestHome } from '../../helpers/daemon/mcp.ts'

let home: TestHome

beforeAll(async () => {
  home = await startHome()
})

afterAll(() => home.remove())

test('keys create shows the secret once, with the given scopes, plan and expiry', async () => {
  const flags = ['--name', 'ci', '--scopes', 'read,chat', '--plan', 'pro', '--expires', '7d']
  const key = await home.json<CreatedKey>(['keys', 'create', ...flags])
  expect(key).toMatchObject({ name: 'ci', scopes: ['READ', 'CHAT'], plan: 'pro', isExpired: false })
  expect(key.key).toMatch(/^mcp_sk_[\w-]{43}$/)
  const days = (Date.parse(key.expiresAt!) - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(7)

  const all = await home.mcp(['keys', 'list'])
  expect(all.stdout).toContain('ci')
  expect(all.stdout).not.toContain(key.key)
  expect(await home.json(['whoami', '--api-key', key.key])).toMatchObject({ name: 'ci' })
})

test('keys create rejects a name in use, and with --yes replaces the existing key', async () => {
  const create = ['keys', 'create', '--name', 'twice']
  const { key, apiKeyId } = await home.json<CreatedKey>(create)
  const { code, stderr } = await home.mcp(create)
  expect([code, stderr]).toEqual([5, expect.stringMatching(new RegExp(`${apiKeyId}.*--yes`, 's'))])
  const replaced = await home.json<CreatedKey>([...create, '--yes'])
  expect((await home.mcp(['whoami', '--api-key', key])).code).toBe(3)
  expect(await home.json(['whoami', '--api-key', replaced.key])).toMatchObject({ name: 'twice' })
  const owner = await home.mcp(['keys', 'create', '--name', 'owner', '--yes'])
  expect([owner.code, owner.stderr]).toEqual([5, expect.stringContaining('cannot be revoked')])
})

test('keys check explains its verdict and exits with 3 if the key is not allowed to make the request', async () => {
  const { key } = await home.json<CreatedKey>(['keys', 'create', '--name', 'reader'])
  expect(await home.json(['keys', 'check', key, 'GET', '/v1/deploy'])).toMatchObject({ allowed: true })
  const { code, stdout } = await home.mcp(['keys', 'check', key, 'post', '/v1/build', '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(stdout)).toEqual({ allowed: false, reason: expect.stringContaining('BUILD_AND_DEPLOY') })
})

test('a command exits with 3 if the key lacks the scope, and suggests whoami', async () => {
  const { key } = await home.json<CreatedKey>(['keys', 'create', '--name', 'weak'])
  const { code, stderr } = await home.mcp(['keys', 'list', '--api-key', key])
  expect(code).toBe(3)
  expect(stderr).toContain('ADMIN')
  expect(stderr).toContain('mcp whoami')
})

test('keys revoke requires --yes without a terminal, and revokes the key', async () => {
  const { key, apiKeyId } = await home.json<CreatedKey>(['keys', 'create', '--name', 'gone'])
  expect((await home.mcp(['keys', 'revoke', 'gone'])).code).toBe(2)
  expect(await home.json(['keys', 'revoke', 'gone', '--yes'])).toEqual({ revoked: apiKeyId })
  expect((await home.mcp(['whoami', '--api-key', key])).code).toBe(3)
  expect((await home.mcp(['keys', 'revoke', 'gone', '--yes'])).code).toBe(4)
  const left = await home.json<KeyRecord[]>(['keys', 'list'])
  expect(left.map(({ name }) => name)).not.toContain('gone')
})

test('keys create without a name is a usage error', async () => {
  const { code, stderr } = await home.mcp(['keys', 'create'])
  expect(code).toBe(2)
  expect(stderr).toContain('--name')
})

test('console prints a URL that signs a browser in, and --sign-out signs all browsers out', async () => {
  const { url, opened } = await home.json<{ url: string; opened: boolean }>(['console'])
  expect(opened).toBe(false)
  const { port, host, pathname, search } = new URL(url)
  const answer = await send(`http://127.0.0.1:${port}${pathname}${search}`, { headers: { host } })
  expect(answer.status).toBe(303)
  expect((await home.mcp(['console', '--sign-out'])).stdout).toBe('Signed out 1 browser\n')
  expect((await home.mcp(['console', '--sign-out', '--quiet'])).stdout).toBe('0\n')
})
