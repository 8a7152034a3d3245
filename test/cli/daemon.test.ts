import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHome, eventually, MCP_BIN, type TestHome } from '../helpers/mcp.ts'
import { isRunning, processesNaming } from '../helpers/processes.ts'

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

test('start answers when the daemon does, start again finds it, stop waits until its process is gone', async () => {
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

test('stop waits for a process that takes its time to end', async () => {
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

test('a person is told where it runs and that it ended', async () => {
  const start = await home.mcp(['daemon', 'start'])
  expect(start.stdout).toContain(`Daemon started at ${home.discovery()!.url} in `)
  const status = await home.mcp(['daemon', 'status'])
  expect(status.stdout).toContain(`The daemon runs at ${home.discovery()!.url}`)
  const logs = await home.mcp(['daemon', 'logs'])
  expect(logs.stdout).toContain(`info  listening on ${home.discovery()!.url}`)
  const stop = await home.mcp(['daemon', 'stop'])
  expect(stop.stdout).toContain('Daemon stopped in ')
  const again = await home.mcp(['daemon', 'stop'])
  expect(again).toEqual({ code: 0, stdout: 'The daemon does not run.\n', stderr: '' })
})

test('several commands at once end with one daemon, and each does its work', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => home.json<Started>(['daemon', 'start'])))
  expect(new Set(all.map(({ pid }) => pid)).size).toBe(1)
})

test('a daemon that came second does not come to life when the first is stopped', async () => {
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

test('a command that needs the daemon starts it', async () => {
  expect(await home.json(['list'])).toEqual({ builds: [], deployments: [] })
  expect(isRunning(home.discovery()!.pid)).toBe(true)
})

test('restart is another process with the same home', async () => {
  const before = await home.json<Started>(['daemon', 'start'])
  const after = await home.json<Started>(['daemon', 'restart'])
  expect(after.pid).not.toBe(before.pid)
  // It lets connections that are open end, after the new one serves.
  await eventually(() => !isRunning(before.pid))
})

test('a daemon that was killed is replaced by the next command', async () => {
  const { pid } = await home.json<Started>(['daemon', 'start'])
  process.kill(pid, 'SIGKILL')
  expect(await home.json(['status'])).toEqual([])
  expect(home.discovery()!.pid).not.toBe(pid)
  const log = readFileSync(join(home.dir, 'logs', 'daemon.log'), 'utf8')
    .trim()
    .split('\n')
  expect(log.map(line => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('did not stop in order'), pid }),
  )
})

test('a damaged discovery file of a dead daemon is replaced by the next command', async () => {
  for (const content of ['', 'garbage', '[]', '{"url":5,"nonce":{}}']) {
    await home.json(['daemon', 'start'])
    const { pid } = home.discovery()!
    process.kill(pid, 'SIGKILL')
    await eventually(() => !isRunning(pid))
    writeFileSync(join(home.dir, 'daemon.json'), content)
    expect(await home.json(['status'])).toEqual([])
    expect(home.discovery()!.pid).not.toBe(pid)
  }
})

test('a daemon that runs writes its damaged or lost discovery file again', async () => {
  const { pid } = await home.json<Started>(['daemon', 'start'])
  for (const spoil of [(file: string) => writeFileSync(file, '{"url'), rmSync]) {
    spoil(join(home.dir, 'daemon.json'))
    expect(await home.json(['status'])).toEqual([])
    expect(home.discovery()).toMatchObject({ pid })
  }
})

test('the daemon of a lost credentials file is stopped all the same', async () => {
  const { pid } = await home.json<Started>(['daemon', 'start'])
  rmSync(join(home.dir, 'credentials.json'))
  expect(await home.json(['daemon', 'stop'])).toMatchObject({ stopped: true })
  expect(isRunning(pid)).toBe(false)
})

test('another program behind the address of the discovery file is not taken for the daemon', async () => {
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

test('a daemon of another version is told about and replaced', async () => {
  const old = await startOldDaemon()
  const { code, stdout, stderr } = await home.mcp(['status', '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual([])
  expect(JSON.parse(stderr).warning).toContain('The daemon runs version 0.0.1')
  expect(isRunning(old)).toBe(false)
  expect(home.discovery()!.pid).not.toBe(old)
})

test("a start that fails shows the daemon's own sentence: a port in use", async () => {
  const holder = await listen(createServer())
  try {
    const { port } = holder.address() as AddressInfo
    const { code, stdout, stderr } = await home.mcp(['status', '--json'], {
      env: { ...home.env, MCP_PORT: String(port) },
    })
    expect(stdout).toBe('')
    expect(JSON.parse(stderr).error.message).toContain(String(port))
    expect(code).toBe(5)
  } finally {
    holder.close()
  }
})

test('a wrong MCP_PORT is a usage error', async () => {
  const { code, stderr } = await home.mcp(['daemon', 'start'], { env: { ...home.env, MCP_PORT: 'http' } })
  expect(code).toBe(2)
  expect(stderr).toContain('MCP_PORT is "http"')
})

test('a home that cannot be written ends with 7 and names it', async () => {
  writeFileSync(join(home.dir, 'file'), '')
  const env = { ...home.env, MCP_HOME: join(home.dir, 'file', 'home') }
  const { code, stderr } = await home.mcp(['daemon', 'start'], { env })
  expect(code).toBe(7)
  expect(stderr).toContain(`The home ${env.MCP_HOME} cannot be written`)
})

test('run stays in the foreground until it is told to end, and there is only one', async () => {
  const child = spawn(process.execPath, [MCP_BIN, 'daemon', 'run'], { env: home.env, stdio: 'ignore' })
  const { pid } = await eventually(() => home.discovery())
  const second = await home.mcp(['daemon', 'run'])
  expect(second.code).toBe(5)
  child.kill('SIGTERM')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(isRunning(pid)).toBe(false)
})

test('logs -f goes on until Ctrl-C and ends with 130', async () => {
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

/** A program that answers as a daemon of an older version did, and ends when it is asked to. */
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
