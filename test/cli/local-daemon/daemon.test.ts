import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHome, eventually, MCP_BIN, runToEnd, type TestHome } from '../../helpers/daemon/mcp.ts'
import { descendantsOf, isRunning, processesNaming } from '../../helpers/processes.ts'

let home: TestHome

beforeEach(() => {
  home = createHome()
})

afterEach(() => home.remove())

interface Started {
  url: string
  pid: number
  version: string
  home: string
}

test('start waits for the daemon, a second start finds it, and stop waits until its process is gone', async () => {
  const started = await home.json<Started>(['daemon', 'start'])
  expect(started).toEqual({
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: expect.any(Number),
    version: JSON.parse(readFileSync('package.json', 'utf8')).version,
    home: home.dir,
  })
  expect((await fetch(`${started.url}/health`)).status).toBe(200)
  expect(statSync(join(home.dir, 'daemon.json')).mode & 0o777).toBe(0o600)
  expect(await home.json(['daemon', 'start'])).toEqual(started)
  expect(await home.json(['daemon', 'status'])).toMatchObject({ running: true, ...started })

  expect(await home.json(['daemon', 'stop'])).toEqual({ stopped: true, home: home.dir })
  expect(isRunning(started.pid)).toBe(false)
  expect(home.discovery()).toBeUndefined()
  expect(await home.json(['daemon', 'stop'])).toEqual({ stopped: false, home: home.dir })
})

test("the daemon inherits no open files from the user's shell", async () => {
  const lock = join(home.dir, 'shell.lock')
  const shell = ['-c', 'exec 200>"$0" && exec "$@"', lock, process.execPath, MCP_BIN, 'daemon', 'start']
  expect((await runToEnd('bash', shell, { env: home.env })).code).toBe(0)
  const daemon = home.discovery()!.pid
  const open = [daemon, ...descendantsOf(daemon)].flatMap(pid =>
    readdirSync(`/proc/${pid}/fd`).map(name => readLink(`/proc/${pid}/fd/${name}`)),
  )
  expect(open).toContain(join(home.dir, 'daemon.db'))
  expect(open).not.toContain(lock)
})

/** Target of the link. Empty for a file that has been closed since readdir. */
function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

test('stop waits for a daemon that exits slowly', async () => {
  const slow = join(home.dir, 'slow.cjs')
  writeFileSync(
    slow,
    `if (process.argv[1]?.endsWith('daemon.js'))
       process.on('exit', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700))`,
  )
  const env = { ...home.env, NODE_OPTIONS: `--require ${slow}` }
  const { pid } = await home.json<Started>(['daemon', 'start'], { env })
  await home.json(['daemon', 'stop'])
  expect(isRunning(pid)).toBe(false)
})

test('text output shows the URL of the daemon and that it stopped', async () => {
  const start = await home.mcp(['daemon', 'start'])
  expect(start.stdout).toContain(`Daemon started at ${home.discovery()!.url} in `)
  const status = await home.mcp(['daemon', 'status'])
  expect(status.stdout).toContain(`The daemon is running at ${home.discovery()!.url}`)
  const logs = await home.mcp(['daemon', 'logs'])
  expect(logs.stdout).toContain(`info  listening on ${home.discovery()!.url}`)
  const stop = await home.mcp(['daemon', 'stop'])
  expect(stop.stdout).toContain('Daemon stopped in ')
  const again = await home.mcp(['daemon', 'stop'])
  expect(again).toEqual({ code: 0, stdout: 'The daemon is not running.\n', stderr: '' })
})

test('concurrent commands start one daemon and all succeed', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => home.json<Started>(['daemon', 'start'])))
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1)
  const log = readFileSync(join(home.dir, 'logs', 'daemon.log'), 'utf8')
  expect(log.match(/.*listening on.*/g), log).toHaveLength(1)
})

test('a daemon that lost the start race does not start when the winner is stopped', async () => {
  const [late, begun, stopped] = [
    join(home.dir, 'late.cjs'),
    join(home.dir, 'begun'),
    join(home.dir, 'stopped'),
  ]
  writeFileSync(
    late,
    `const { existsSync, writeFileSync } = require('node:fs')
     if (process.argv[1]?.endsWith('daemon.js')) {
       writeFileSync(${JSON.stringify(begun)}, '')
       const cell = new Int32Array(new SharedArrayBuffer(4))
       while (!existsSync(${JSON.stringify(stopped)})) Atomics.wait(cell, 0, 0, 20)
     }`,
  )
  const second = home.json<Started>(['daemon', 'start'], {
    env: { ...home.env, NODE_OPTIONS: `--require ${late}` },
  })
  await eventually(() => existsSync(begun))
  const first = await home.json<Started>(['daemon', 'start'])
  expect(await second).toEqual(first)
  await home.json(['daemon', 'stop'])
  writeFileSync(stopped, '')
  await eventually(() => processesNaming(home.dir).length === 0)
})

test('restart starts a new daemon process, and the old one exits', async () => {
  const before = await home.json<Started>(['daemon', 'start'])
  const after = await home.json<Started>(['daemon', 'restart'])
  expect(after.pid).not.toBe(before.pid)
  // The old daemon first drains its open connections.
  await eventually(() => !isRunning(before.pid))
})

test('the next command replaces a killed daemon', async () => {
  const { pid } = await home.json<Started>(['daemon', 'start'])
  process.kill(pid, 'SIGKILL')
  expect(await home.json(['status'])).toEqual([])
  expect(home.discovery()!.pid).not.toBe(pid)
  const log = readFileSync(join(home.dir, 'logs', 'daemon.log'), 'utf8')
    .trim()
    .split('\n')
  expect(log.map(line => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('did not shut down cleanly'), pid }),
  )
})

test('daemon status ignores a damaged discovery file of a dead daemon, and the next start replaces it', async () => {
  const { pid } = await home.json<Started>(['daemon', 'start'])
  process.kill(pid, 'SIGKILL')
  await eventually(() => !isRunning(pid))
  for (const content of ['', 'garbage', '[]', '{"url":5,"nonce":{}}']) {
    writeFileSync(join(home.dir, 'daemon.json'), content)
    const { code, stdout } = await home.mcp(['daemon', 'status', '--json'])
    expect([code, JSON.parse(stdout)], content).toEqual([7, expect.objectContaining({ running: false })])
  }
  expect(await home.json(['status'])).toEqual([])
  expect(home.discovery()!.pid).not.toBe(pid)
})

test('a running daemon rewrites its damaged or lost discovery file, and can be stopped without the credentials file', async () => {
  const { pid } = await home.json<Started>(['daemon', 'start'])
  for (const spoil of [(file: string) => writeFileSync(file, '{"url'), rmSync]) {
    spoil(join(home.dir, 'daemon.json'))
    expect(await home.json(['status'])).toEqual([])
    expect(home.discovery()).toMatchObject({ pid })
  }
  // Uses the same daemon, because starting one takes most of the test's time.
  rmSync(join(home.dir, 'credentials.json'))
  expect(await home.json(['daemon', 'stop'])).toMatchObject({ stopped: true })
  expect(isRunning(pid)).toBe(false)
})

test('another program at the URL in the discovery file is not mistaken for the daemon', async () => {
  const stranger = await listen(
    createServer((_request, response) => response.end('{"nonce":"question","proof":"ques"}')),
  )
  try {
    discover(stranger, { pid: process.pid })
    expect((await home.mcp(['daemon', 'status'])).code).toBe(7)
    expect(await home.json(['daemon', 'stop'])).toMatchObject({ stopped: false })
    const { pid } = await home.json<Started>(['daemon', 'start'])
    expect(pid).not.toBe(process.pid)
  } finally {
    stranger.close()
  }
})

test('a daemon of another version is reported and replaced', async () => {
  const old = await startOldDaemon()
  const { code, stdout, stderr } = await home.mcp(['status', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual([])
  expect(JSON.parse(stderr).warning).toContain('The daemon has version 0.0.1')
  expect(isRunning(old)).toBe(false)
  expect(home.discovery()!.pid).not.toBe(old)
})

test("a failed start shows the daemon's error for a port in use", async () => {
  const holder = await listen(createServer())
  try {
    const { port } = holder.address() as AddressInfo
    const { code, stdout, stderr } = await home.mcp(['status', '--json'], {
      env: { ...home.env, MCP_PORT: String(port) },
    })
    expect(stdout).toBe('')
    expect(JSON.parse(stderr).error.message).toContain(String(port))
    expect(stderr).toContain('MCP_PORT=0')
    expect(code).toBe(5)
  } finally {
    holder.close()
  }
})

test('an invalid MCP_PORT is a usage error', async () => {
  const { code, stderr } = await home.mcp(['daemon', 'start'], { env: { ...home.env, MCP_PORT: 'http' } })
  expect(code).toBe(2)
  expect(stderr).toContain('MCP_PORT is "http"')
})

test('a command exits with 7 and names the home if the home is not writable', async () => {
  writeFileSync(join(home.dir, 'file'), '')
  const env = { ...home.env, MCP_HOME: join(home.dir, 'file', 'home') }
  const { code, stderr } = await home.mcp(['daemon', 'start'], { env })
  expect(code).toBe(7)
  expect(stderr).toContain(`The home ${env.MCP_HOME} is not writable`)
})

test('daemon run stays in the foreground until it is stopped, and a second daemon run fails', async () => {
  const child = spawn(process.execPath, [MCP_BIN, 'daemon', 'run'], { env: home.env, stdio: 'ignore' })
  const { pid } = await eventually(() => home.discovery())
  const second = await home.mcp(['daemon', 'run'])
  expect(second.code).toBe(5)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(isRunning(pid)).toBe(false)
})

test('daemon logs -f follows the log until Ctrl-C and exits with 130', async () => {
  await home.json(['daemon', 'start'])
  const child = spawn(process.execPath, [MCP_BIN, 'daemon', 'logs', '-f', '--json'], { env: home.env })
  const [line] = await once(child.stdout, 'data')
  expect(JSON.parse(String(line).split('\n')[0]!)).toMatchObject({ level: 'info' })
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  expect(code).toBe(130)
})

async function listen(server: Server): Promise<Server> {
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return server
}

function discover(server: Server, fields: Record<string, unknown>): void {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const discovery = {
    url,
    nonce: 'question',
    startedAt: '2026-01-01T00:00:00.000Z',
    version: '0.0.1',
    ...fields,
  }
  writeFileSync(join(home.dir, 'daemon.json'), JSON.stringify(discovery))
}

/** Starts a program that responds and stops like a daemon of an older version. Returns its process id. */
async function startOldDaemon(): Promise<number> {
  const program = join(home.dir, 'old-daemon.mjs')
  mkdirSync(home.dir, { recursive: true })
  writeFileSync(
    program,
    `import { createServer } from 'node:http'
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const proof = searchParams.get('challenge') === 'old-' ? 'nonce' : undefined
  if (pathname === '/health') return response.end(JSON.stringify({ proof }))
  response.writeHead(202).end('{}', () => process.exit(0))
}).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)) })`,
  )
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  const discovery = { url: `http://127.0.0.1:${port}`, pid: child.pid, nonce: 'old-nonce', version: '0.0.1' }
  writeFileSync(join(home.dir, 'daemon.json'), JSON.stringify(discovery))
  return child.pid!
}
