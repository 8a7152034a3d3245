import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CommandContext } from '../../../src/cli/command-line/command-context.ts'
import { signInWithDevice } from '../../../src/cli/sign-in/device-sign-in.ts'
import { createHome, eventually, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import {
  type ContractStub,
  type StubOptions,
  startContractStub,
} from '../../helpers/services/contract-stub.ts'
import {
  type DeviceProvider,
  type DeviceProviderOptions,
  startDeviceProvider,
} from '../../helpers/services/device-provider.ts'

// Each test runs several programs in sequence, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** `mcp login` to a hosted API with a certified authorization server. */
let home: TestHome
let provider: DeviceProvider
let api: ContractStub
const running: ChildProcess[] = []

beforeEach(() => {
  home = createHome()
})
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  await api?.close()
  await provider?.[Symbol.asyncDispose]()
  await home.remove()
})

async function start(options: DeviceProviderOptions = {}, stub: StubOptions = {}): Promise<void> {
  provider = await startDeviceProvider(options)
  api = await startContractStub({ issuer: provider.issuer, isGood: provider.isGood, ...stub })
}

interface Login {
  code: string
  page: string
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

/** Starts `mcp login --device --json` and waits for the code. */
async function startLogin(...options: string[]): Promise<Login> {
  const args = ['login', '--device', '--json', '--api-url', api.url, '--context', 'work', ...options]
  const child = spawn(process.execPath, [MCP_BIN, ...args], { env: home.env })
  running.push(child)
  const said = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => (said.stdout += text))
  child.stderr.setEncoding('utf8').on('data', text => (said.stderr += text))
  const ended = new Promise<Awaited<Login['ended']>>(resolve =>
    child.once('close', code => resolve({ code, ...said })),
  )
  await eventually(() => child.exitCode !== null || said.stderr.includes('enter the code'))
  expect(said.stderr).toMatch(/enter the code/)
  const [, page = '', code = ''] = /Open (\S+) in a browser and enter the code ([\w-]+)/.exec(said.stderr)!
  return { code, page, ended }
}

async function signIn(...options: string[]): Promise<void> {
  const login = await startLogin(...options)
  await provider.enter(login.code, 'allow')
  const { code, stderr } = await login.ended
  expect(code, stderr).toBe(0)
}

const credentialsFile = () => join(home.dir, 'credentials.json')
const savedSession = () => JSON.parse(readFileSync(credentialsFile(), 'utf8')).contexts.work.session

/** Makes the saved session expire. */
function age(): void {
  const contexts = { work: { session: { ...savedSession(), expiresAt: 1 } } }
  writeFileSync(credentialsFile(), JSON.stringify({ contexts }))
}

test('login shows a code, waits until it is entered, and saves the tokens with mode 0600', async () => {
  await start()
  const login = await startLogin()
  expect(login.page).toBe(`${provider.issuer}/device`)
  await provider.enter(login.code, 'allow')
  const { code, stdout } = await login.ended
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ context: 'work', apiUrl: api.url, apiKeyId: 'key-1' })
  expect(statSync(credentialsFile()).mode & 0o777).toBe(0o600)
  expect(savedSession()).toMatchObject({
    issuer: provider.issuer,
    resource: api.url,
    clientId: 'mcp-hosting',
    accessToken: expect.any(String),
    refreshToken: expect.any(String),
  })
  expect(await home.json(['whoami'])).toMatchObject({ apiKeyId: 'key-1' })
  expect(api.requests.at(-1)!.headers.authorization).toBe(`Bearer ${savedSession().accessToken}`)
  expect(await home.json<object[]>(['context', 'list'])).toContainEqual(
    expect.objectContaining({ name: 'work', signedIn: true, current: true }),
  )
  expect((await home.mcp(['context', 'show'])).stdout).toContain('signed in')
})

test('login registers a client if supported and uses its id', async () => {
  await start({ registration: true })
  await signIn()
  expect(savedSession().clientId).not.toBe('mcp-hosting')
})

test('login exits with 3 and saves nothing when the user refuses', async () => {
  await start()
  const login = await startLogin()
  await provider.enter(login.code, 'abort')
  const { code, stderr } = await login.ended
  expect(code).toBe(3)
  expect(stderr).toContain('refused in the browser')
  expect((await home.json<object[]>(['context', 'list'])).length).toBe(1)
})

test('login exits with 8 when the code expires', async () => {
  await start({ instead: () => ({ error: 'expired_token' }) })
  const { code, stderr } = await (await startLogin()).ended
  expect(code).toBe(8)
  expect(JSON.parse(stderr.trim().split('\n').at(-1)!).error.next[0].command).toBe('mcp login')
})

test('login polls less often on slow_down', async () => {
  let asked = 0
  await start({ instead: () => ({ error: ++asked < 3 ? 'slow_down' : 'access_denied' }) })
  const waits: number[] = []
  const output = { interactive: false, warn() {}, progress: (_: string, work: () => unknown) => work() }
  const context = { output, signal: new AbortController().signal } as unknown as CommandContext
  const wait = async (milliseconds: number) => void waits.push(milliseconds)
  await expect(signInWithDevice(context, api.url, undefined, wait)).rejects.toThrow('refused in the browser')
  // RFC 8628 3.5: each `slow_down` adds five seconds to the interval.
  expect(waits).toEqual([50, 5050, 10_050])
})

test('concurrent commands renew an expired token once', async () => {
  await start()
  await signIn()
  const before = savedSession()
  age()
  const answers = await Promise.all(Array.from({ length: 4 }, () => home.mcp(['whoami', '--json'])))
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  expect(provider.grants.filter(grant => grant === 'refresh_token')).toHaveLength(1)
  expect(savedSession().refreshToken).not.toBe(before.refreshToken)
  expect(statSync(credentialsFile()).mode & 0o777).toBe(0o600)
})

test('commands with an expired sign-in exit with 3 and suggest mcp login', async () => {
  await start({
    instead: grant => (grant === 'refresh_token' ? { error: 'invalid_grant' } : undefined),
  })
  await signIn()
  age()
  const { code, stderr } = await home.mcp(['whoami', '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'UNAUTHORIZED',
    next: [{ command: 'mcp login --context work' }, {}],
  })
})

test('logout revokes the sign-in and removes it', async () => {
  await start()
  await signIn()
  const { accessToken } = savedSession()
  expect(await provider.isGood(accessToken)).toBe(true)
  expect(await home.json(['logout'])).toEqual({ context: 'work', removed: true, revoked: true })
  expect(await provider.isGood(accessToken)).toBe(false)
  expect(JSON.parse(readFileSync(credentialsFile(), 'utf8'))).toEqual({ contexts: {} })
})

test('logout removes the sign-in even if its server is unreachable', async () => {
  await start()
  await signIn()
  await provider[Symbol.asyncDispose]()
  const { code, stdout, stderr } = await home.mcp(['logout', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ context: 'work', removed: true, revoked: false })
  expect(stderr).toContain('Could not revoke the sign-in at the authorization server')
})

test('a saved token is not sent to another API', async () => {
  await start()
  await signIn()
  const other = await startContractStub()
  try {
    expect((await home.mcp(['whoami', '--api-url', other.url])).code).toBe(3)
    expect(other.requests[0]!.headers.authorization).toBeUndefined()
  } finally {
    await other.close()
  }
})

test('without a terminal, login names MCP_API_KEY and makes no request', async () => {
  await start()
  const { code, stderr } = await home.mcp(['login', '--api-url', api.url])
  expect(code).toBe(2)
  expect(stderr).toContain('MCP_API_KEY')
  expect(api.requests).toEqual([])
})

test('login to an API that only supports keys rejects --device and accepts a key', async () => {
  api = await startContractStub()
  const refused = await home.mcp(['login', '--device', '--api-url', api.url])
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('only API keys') })
  await home.json(['login', '--api-url', api.url, '--api-key', api.key])
  expect(await home.json(['whoami'])).toMatchObject({ apiKeyId: 'key-1' })
})

test('rejects metadata for another resource, so that no token goes to the wrong API', async () => {
  provider = await startDeviceProvider()
  api = await startContractStub({
    intercept(_request, response) {
      response.setHeader('www-authenticate', `Bearer resource_metadata="http://${_request.headers.host}/md"`)
      const document = { resource: 'https://bank.example', authorization_servers: [provider.issuer] }
      response.writeHead(_request.url === '/md' ? 200 : 401).end(JSON.stringify(document))
      return true
    },
  })
  const { code, stderr } = await home.mcp(['login', '--device', '--api-url', api.url])
  expect(code).toBe(7)
  expect(stderr).toContain('belongs to https://bank.example')
})

// macOS has a different script(1).
test.runIf(process.platform === 'linux')('at a terminal, login asks before it opens a browser', async () => {
  await start()
  const opened = join(home.dir, 'opened')
  const opener = join(home.dir, 'opener')
  writeFileSync(opener, `#!/bin/sh\necho "$1" > ${opened}\n`, { mode: 0o755 })
  const { CI: _, ...env } = { ...home.env, BROWSER: opener } as NodeJS.ProcessEnv
  const command = [process.execPath, MCP_BIN, 'login', '--api-url', api.url].join(' ')
  const child = spawn('script', ['-qfec', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  running.push(child)
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', text => (shown += text))
  const shows = (text: string | RegExp) => expect.poll(() => shown, { timeout: 20_000 }).toMatch(text)
  await shows('Open it in a browser')
  const code = /enter the code ([\w-]+)/.exec(shown)![1]!
  child.stdin.write('\r')
  await expect
    .poll(() => readText(opened), { timeout: 20_000 })
    .toContain(`${provider.issuer}/device?user_code=${code}`)
  await provider.enter(code, 'allow')
  await shows(/Signed in to http/)
})

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist until the browser is opened.
    return ''
  }
}
