import { readFileSync, statSync, writeFileSync } from 'node:fs'
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

test('context add with another URL removes the saved key, and with the same URL keeps it', async () => {
  stub = await startContractStub()
  await home.json(['login', '--api-url', stub.url, '--api-key', stub.key, '--context', 'work'])
  const other = await startContractStub()
  try {
    await home.json(['context', 'add', 'work', `${stub.url}/`])
    expect((await home.mcp(['whoami'])).code).toBe(0)
    const { stderr } = await home.mcp(['context', 'add', 'work', other.url])
    expect(stderr).toContain('Removed its key or sign-in, which was saved for another URL.')
    expect((await home.mcp(['whoami'])).code).toBe(3)
    expect(other.requests.map(({ headers }) => headers.authorization)).toEqual([undefined])
    await home.json(['context', 'add', 'work', stub.url])
    expect((await home.mcp(['whoami'])).code).toBe(3)
  } finally {
    await other.close()
  }
})

test('login to a hosted API never saves its key for the local daemon', async () => {
  stub = await startContractStub()
  const file = join(home.dir, 'credentials.json')
  const saved = JSON.stringify({ contexts: { local: { apiKey: 'key-of-the-daemon' } } })
  writeFileSync(file, saved)
  const args = ['login', '--api-url', stub.url, '--api-key', stub.key]
  const env = { ...home.env, MCP_CONTEXT: 'local' }
  for (const { code, stderr } of [
    await home.mcp(args, { env }),
    await home.mcp([...args, '--context', 'local']),
    await home.mcp(['login', '--api-url', 'http://local', '--api-key', stub.key]),
  ])
    expect([code, stderr]).toEqual([
      2,
      'Error: Context "local" is reserved for the local daemon. Choose another name with --context.\n',
    ])
  expect(readFileSync(file, 'utf8')).toBe(saved)
})
