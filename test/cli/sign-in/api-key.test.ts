import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHome, type TestHome } from '../../helpers/daemon/mcp.ts'
import { type ContractStub, startContractStub } from '../../helpers/services/contract-stub.ts'

/** `mcp login` to a hosted API with an API key. */
let home: TestHome
let stub: ContractStub

beforeEach(() => {
  home = createHome()
})

afterEach(async () => {
  await stub?.close()
  await home.remove()
})

test('login checks the key, saves it with mode 0600 and makes the API the current context', async () => {
  stub = await startContractStub()
  const result = await home.json([
    'login',
    '--api-url',
    `${stub.url}/`,
    '--api-key',
    stub.key,
    '--context',
    'work',
  ])
  expect(result).toEqual({
    context: 'work',
    apiUrl: stub.url,
    apiKeyId: 'key-1',
    name: 'hosted key',
    scopes: ['BUILD_AND_DEPLOY', 'CHAT'],
  })
  const credentials = join(home.dir, 'credentials.json')
  expect(statSync(credentials).mode & 0o777).toBe(0o600)
  expect(JSON.parse(readFileSync(credentials, 'utf8'))).toEqual({ contexts: { work: { apiKey: stub.key } } })
  expect(await home.json(['whoami'])).toMatchObject({ apiKeyId: 'key-1', isExpired: false })
  expect(stub.requests.at(-1)!.headers.authorization).toBe(`Bearer ${stub.key}`)

  expect(await home.json(['logout'])).toEqual({ context: 'work', removed: true })
  const { code, stderr } = await home.mcp(['whoami', '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'UNAUTHORIZED' })
})

test('login reads the key from standard input with --api-key -', async () => {
  stub = await startContractStub()
  const args = ['login', '--api-url', stub.url, '--api-key', '-', '--json']
  const { code } = await home.mcp(args, { input: `${stub.key}\n` })
  expect(code).toBe(0)
})

test('login without a key or a terminal is a usage error that names the flag', async () => {
  stub = await startContractStub()
  const { code, stderr } = await home.mcp(['login', '--api-url', stub.url])
  expect(code).toBe(2)
  expect(stderr).toContain('--api-key is required')
})

test('login with an invalid or expired key saves nothing', async () => {
  stub = await startContractStub({ expired: true })
  for (const key of ['wrong-key-0123456789', stub.key]) {
    const { code } = await home.mcp(['login', '--api-url', stub.url, '--api-key', key])
    expect(code).toBe(3)
  }
  expect(await home.json(['context', 'list'])).toHaveLength(1)
})

test('a saved key is not sent to another API', async () => {
  stub = await startContractStub()
  await home.json(['login', '--api-url', stub.url, '--api-key', stub.key])
  const other = await startContractStub()
  try {
    const { code } = await home.mcp(['whoami', '--api-url', other.url])
    expect(code).toBe(3)
    expect(other.requests[0]!.headers.authorization).toBeUndefined()
  } finally {
    await other.close()
  }
})
