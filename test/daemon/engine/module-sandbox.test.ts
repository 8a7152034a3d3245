import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findModuleSandbox, moduleSandbox } from '../../../src/daemon/engine/module-sandbox.ts'

/**
 * Tests what the operating system alone denies. The code below runs in the sandbox of handler modules without Node's
 * permission model and without any of the in-process seals.
 */
const sandbox = moduleSandbox()
const inSandbox = test.skipIf(!sandbox.usable)
const inNetwork = test.skipIf(!(sandbox.usable && sandbox.hasNetworks))
const folder = mkdtempSync(join(tmpdir(), 'mcp-sandbox-'))
const listener = createServer(socket => socket.end()).listen(0, '127.0.0.1')
const abstract = createServer(socket => socket.end()).listen(`\0mcp-sandbox-${process.pid}`)
const unix = createServer(socket => socket.end()).listen(join(folder, 'engine.sock'))

beforeAll(() => chmodSync(folder, 0o755))
afterAll(() => {
  for (const server of [listener, abstract, unix]) server.close()
  rmSync(folder, { recursive: true })
})

const HELPERS = `
import fs from 'node:fs'
import net from 'node:net'
const attempt = act => { try { return act() ?? 'done' } catch (error) { return error.code ?? error.message } }
const reach = target => new Promise(resolve => {
  const socket = net.connect(target, () => { socket.destroy(); resolve('connected') })
  socket.on('error', error => resolve(error.code))
})
const print = value => console.log(JSON.stringify(value))
`

let programs = 0
/** Returns what the code prints as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: the code decides
async function run(code: string, ownNetwork = true): Promise<any> {
  if (!sandbox.usable) throw new Error(sandbox.why)
  const program = join(folder, `program-${++programs}.mjs`)
  writeFileSync(program, HELPERS + code)
  const [file, ...args] = sandbox.command({
    id: 'inst_test',
    program,
    ownNetwork: ownNetwork && sandbox.hasNetworks,
    nodeArguments: inside => [inside],
  })
  const child = spawn(file!, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { GIVEN: 'yes' } })
  let output = ''
  child.stdout.on('data', chunk => (output += chunk))
  await once(child, 'close')
  return JSON.parse(output)
}

inSandbox('a sandboxed process sees only Node, its libraries and the instance program', async () => {
  const paths = [homedir(), tmpdir(), '/etc/passwd', '/run', '/dev', '/sys', process.cwd(), folder]
  const { found, here } = await run(
    `print({ found: ${JSON.stringify(paths)}.filter(path => fs.existsSync(path)), here: fs.readdirSync('/mcp') })`,
  )
  expect(found).toEqual([])
  expect(here.toSorted()).toEqual(['node', 'program-1.mjs'])
})

inSandbox('a sandboxed process cannot write any file', async () => {
  const files = ['/new', '/mcp/new', '/mcp/node', '/tmp/new', '/proc/new', '/dev/shm/new']
  const seen = await run(
    `print(${JSON.stringify(files)}.map(file => attempt(() => fs.writeFileSync(file, 'x'))))`,
  )
  expect(seen).not.toContain('done')
})

inSandbox('a sandboxed process cannot change kernel settings', async () => {
  const writable = await run(`
    const files = fs.readdirSync('/proc/sys', { recursive: true }).map(name => '/proc/sys/' + name)
    const isWritable = file => attempt(() => fs.accessSync(file, fs.constants.W_OK)) === 'done'
    print(files.filter(file => attempt(() => fs.statSync(file).isFile()) === true && isWritable(file)))`)
  expect(writable).toEqual([])
})

inSandbox('a sandboxed process can neither see nor signal other processes', async () => {
  const { seen, kill } = await run(
    `print({ seen: fs.readdirSync('/proc').filter(Number), kill: attempt(() => process.kill(${process.pid}, 0)) })`,
  )
  expect(seen).toEqual(['1', '2'])
  expect(kill).toBe('ESRCH')
})

inSandbox('a sandboxed process has no capabilities, gains none by exec, and is not root', async () => {
  const { status, uid } = await run(
    `print({ status: fs.readFileSync('/proc/self/status', 'utf8'), uid: process.getuid() })`,
  )
  expect(status).toMatch(/^CapEff:\s+0+$/m)
  expect(status).toMatch(/^CapPrm:\s+0+$/m)
  expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
  expect(uid).not.toBe(0)
})

inSandbox('a sandboxed process cannot reach Unix sockets of the machine', async () => {
  expect(await run(`print(await reach(${JSON.stringify(join(folder, 'engine.sock'))}))`)).toBe('ENOENT')
})

inNetwork('a sandboxed process cannot reach abstract Unix sockets of the machine', async () => {
  expect(await run(`print(await reach('\\0mcp-sandbox-${process.pid}'))`)).toBe('ECONNREFUSED')
})

inNetwork(
  "a sandboxed process with its own network reaches neither the machine's loopback interface nor another network",
  async () => {
    const { port } = listener.address() as AddressInfo
    const { host, outside, interfaces } = await run(`
    import os from 'node:os'
    const [host, outside] = await Promise.all([reach({ port: ${port}, host: '127.0.0.1' }), reach({ port: 80, host: '192.0.2.1' })])
    print({ host, outside, interfaces: Object.keys(os.networkInterfaces()) })`)
    expect(host).toBe('ECONNREFUSED')
    expect(outside).toBe('ENETUNREACH')
    expect(interfaces).toEqual(['lo'])
  },
)

inSandbox("a sandboxed process without its own network uses the machine's network", async () => {
  const { port } = listener.address() as AddressInfo
  expect(await run(`print(await reach({ port: ${port}, host: '127.0.0.1' }))`, false)).toBe('connected')
})

test('reports why the module sandbox is not usable', () => {
  expect(findModuleSandbox('/nowhere')).toEqual({ usable: false, why: 'bubblewrap is not installed here' })
  writeFileSync(
    join(folder, 'bwrap'),
    '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1',
  )
  chmodSync(join(folder, 'bwrap'), 0o755)
  expect(findModuleSandbox(folder)).toEqual({
    usable: false,
    why: 'bubblewrap does not work here (bwrap: No permissions to create new namespace)',
  })
})
