import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startHome } from '../../helpers/daemon/daemon-home.ts'
import { eventually, MCP_BIN, type TestHome } from '../../helpers/daemon/mcp.ts'
import { createBrowser, type Page } from '../../sdk/oauth/support/browser.ts'

// Each test runs several programs in sequence, which is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

/** Commands for a server whose users sign in, with real programs and simulated clicks. */
let home: TestHome
let url: string
const running: ChildProcess[] = []
const opened = () => join(home.dir, 'opened')
const signIns = () => join(home.dir, 'sign-ins.json')
const session = () => JSON.parse(readFileSync(signIns(), 'utf8')).servers[url]

beforeAll(async () => {
  home = await startHome()
  const folder = join(home.dir, 'who')
  mkdirSync(join(folder, 'tools'), { recursive: true })
  writeFileSync(
    join(folder, 'tools/who.ts'),
    `export default { description: 'Who calls', handler: (_args, { auth }) => 'you are ' + auth.subject }`,
  )
  // Stand-in for a browser that records the URL for the test.
  writeFileSync(join(home.dir, 'opener'), `#!/bin/sh\necho "$1" > ${opened()}\n`, { mode: 0o755 })
  url = (await home.json<{ url: string }>(['deploy', folder, '--auth', 'local'])).url
})
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  rmSync(signIns(), { force: true })
  rmSync(opened(), { force: true })
})
afterAll(() => home.remove())

/** Runs `mcp` in a pseudo-terminal. */
function atTerminal(...args: string[]) {
  const { CI: _, ...env } = { ...home.env, BROWSER: join(home.dir, 'opener') } as NodeJS.ProcessEnv
  const command = [process.execPath, MCP_BIN, ...args].join(' ')
  const child = spawn('script', ['-qefc', command, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'ignore'] })
  running.push(child)
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', text => (shown += text))
  const code = new Promise<number | null>(resolve => child.once('close', resolve))
  return {
    code,
    press: (keys: string) => child.stdin.write(keys),
    text: () => shown,
    async shows(text: string) {
      await eventually(() => shown.includes(text) || child.exitCode !== null)
      expect(shown).toContain(text)
    },
  }
}

/** Confirms opening the browser and returns the URL. */
async function openPage(terminal: ReturnType<typeof atTerminal>): Promise<string> {
  rmSync(opened(), { force: true })
  await terminal.shows('Open it in a browser')
  terminal.press('\r')
  return eventually(() => readText(opened()).trim())
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The file does not exist until the browser is opened.
    return ''
  }
}

async function approve(pageUrl: string): Promise<Page> {
  const browser = createBrowser()
  const key = await browser.submit(await browser.open(pageUrl), { provider: 'local' })
  return browser.submit(key, { key: home.apiKey() })
}

async function signIn(): Promise<void> {
  const terminal = atTerminal('call', 'who', 'who')
  expect((await approve(await openPage(terminal))).text).toContain('The sign-in was approved.')
  expect(await terminal.code).toBe(0)
  expect(terminal.text()).toContain('you are local|')
}

// macOS has a different script(1).
const onLinux = test.runIf(process.platform === 'linux')

onLinux('a call signs the user in, and later commands use that sign-in', async () => {
  await signIn()
  expect(statSync(signIns()).mode & 0o777).toBe(0o600)
  expect(session()).toMatchObject({ resource: url, accessToken: expect.any(String) })
  const { stdout } = await home.mcp(['call', url, 'who'])
  expect(stdout).toMatch(/^you are local\|/)
  expect(await home.json<object[]>(['tools', 'who'])).toMatchObject([{ name: 'who' }])
})

onLinux('concurrent commands renew an expired token once', async () => {
  await signIn()
  const before = session()
  writeFileSync(signIns(), JSON.stringify({ servers: { [url]: { ...before, expiresAt: 1 } } }))
  const answers = await Promise.all(Array.from({ length: 4 }, () => home.mcp(['call', 'who', 'who'])))
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0])
  // A second use of the refresh token would have revoked the sign-in.
  const renewed = session()
  expect(renewed.refreshToken).not.toBe(before.refreshToken)
  writeFileSync(signIns(), JSON.stringify({ servers: { [url]: { ...renewed, expiresAt: 1 } } }))
  expect((await home.mcp(['call', 'who', 'who'])).code).toBe(0)
})

onLinux('a token that the server rejects is renewed', async () => {
  await signIn()
  writeFileSync(
    signIns(),
    JSON.stringify({ servers: { [url]: { ...session(), accessToken: 'no.good.token' } } }),
  )
  expect((await home.mcp(['call', 'who', 'who'])).code).toBe(0)
})

onLinux('registers a new client when the server has forgotten the previous one', async () => {
  await signIn()
  const forgotten = { ...session(), client: { ...session().client, client_id: 'forgotten' }, expiresAt: 1 }
  writeFileSync(signIns(), JSON.stringify({ servers: { [url]: forgotten } }))
  await signIn()
  expect(session().client.client_id).not.toBe('forgotten')
})

onLinux('--callback-port with a port in use fails instead of choosing another port', async () => {
  const port = String(home.discovery()!.url.split(':').at(-1))
  const terminal = atTerminal('tools', 'who', '--client-id', 'mine', '--callback-port', port)
  expect(await terminal.code).toBe(5)
  expect(terminal.text()).toContain(`Port ${port} for the sign-in redirect is in use`)
})

test('--callback-port requires --client-id and a valid port', async () => {
  const call = (...options: string[]) => home.mcp(['tools', 'who', ...options])
  expect(await call('--callback-port', '8080')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--callback-port requires --client-id'),
  })
  expect(await call('--client-id', 'mine', '--callback-port', '70000')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected 1 to 65535'),
  })
})

onLinux('logout revokes the tokens at the server', async () => {
  await signIn()
  const copy = readFileSync(signIns())
  expect(await home.json(['logout', '--server', 'who'])).toEqual({
    server: url,
    removed: true,
    revoked: true,
  })
  expect((await home.mcp(['call', 'who', 'who'])).code).toBe(3)
  writeFileSync(signIns(), copy)
  writeFileSync(signIns(), JSON.stringify({ servers: { [url]: { ...session(), expiresAt: 1 } } }))
  const { code, stderr } = await home.mcp(['call', 'who', 'who'])
  expect({ code, stderr }).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('requires sign-in'),
  })
  expect(await home.json(['logout', '--server', 'who'])).toMatchObject({ removed: true })
  expect(await home.json(['logout', '--server', 'who'])).toEqual({ server: url, removed: false })
})

onLinux('a refused sign-in is reported, and nothing is saved', async () => {
  const terminal = atTerminal('tools', 'who')
  const pageUrl = await openPage(terminal)
  const browser = createBrowser()
  const page = await browser.submit(await browser.open(pageUrl), { deny: '1' })
  expect(page.text).toContain('The sign-in was refused.')
  expect(await terminal.code).toBe(3)
  expect(terminal.text()).toContain('was refused')
  expect(readText(signIns())).toBe('')
})

onLinux('a forged request to the redirect URL neither completes nor cancels a sign-in', async () => {
  const terminal = atTerminal('tools', 'who')
  const pageUrl = await openPage(terminal)
  const callback = new URL(pageUrl).searchParams.get('redirect_uri')!
  for (const query of ['code=stolen', 'code=stolen&state=guess', 'error=access_denied&state=guess'])
    expect((await fetch(`${callback}?${query}`)).status).toBe(400)
  await approve(pageUrl)
  expect(await terminal.code).toBe(0)
})

test('without a terminal, the error has instructions and no prompt is shown', async () => {
  const { code, stderr } = await home.mcp(['call', 'who', 'who', '--json'])
  expect(code).toBe(3)
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'UNAUTHORIZED',
    message: 'who requires sign-in at a terminal.',
    next: [{ command: 'mcp tools who' }, { command: `mcp tools ${url} --token <token>` }],
  })
})

onLinux('a server that requires another scope triggers a sign-in that keeps granted scopes', async () => {
  await signIn()
  const folder = join(home.dir, 'who')
  const auth = { provider: 'local', scopes: ['openid', 'admin'], required_scopes: ['openid', 'admin'] }
  writeFileSync(
    join(folder, 'mcp.config.json'),
    JSON.stringify({ name: 'who', template: 'custom', deploy: { development: { auth } } }),
  )
  await home.json(['deploy', folder])
  const refused = await home.mcp(['call', 'who', 'who', '--json'])
  expect(refused.code).toBe(3)
  expect(JSON.parse(refused.stderr).error.code).toBe('INSUFFICIENT_SCOPE')
  const terminal = atTerminal('call', 'who', 'who')
  await approve(await openPage(terminal))
  expect(await terminal.code).toBe(0)
  expect(session().scope.split(' ').sort()).toEqual(['admin', 'openid'])
})

test('a rejected --token is reported without a sign-in', async () => {
  const { code, stderr } = await home.mcp(['call', 'who', 'who', '--token', 'no.good.token'])
  expect({ code, stderr }).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('--token'),
  })
})
