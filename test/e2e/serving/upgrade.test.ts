import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { echoServer } from '../../daemon/http/fixtures.ts'
import { beginSession, post, rpc, send } from '../../helpers/clients/mcp-requests.ts'
import { createHome, eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { childrenOf, isRunning, readProc } from '../../helpers/processes.ts'

const DAEMON = fileURLToPath(new URL('../../../dist/daemon.js', import.meta.url))

let home: TestHome
let url: string
const left: number[] = []

beforeEach(async () => {
  home = createHome()
  await home.json(['daemon', 'start'])
  url = await deploy('echo', 'production')
})

afterEach(async () => {
  await home.remove()
  // Replaced processes may still wait for their last connections.
  await eventually(() => left.every(pid => !isRunning(pid)))
})

// biome-ignore lint/suspicious/noExplicitAny: any answer of the API
async function api(method: string, path: string, body?: object): Promise<any> {
  const headers = { accept: 'application/json', authorization: `Bearer ${home.apiKey()}` }
  const { json } = await send(home.discovery()!.url + path, { method, headers, ...(body && { body }) })
  return json
}

async function deploy(name: string, environment: string): Promise<string> {
  const built = await api('POST', '/v1/build', echoServer(name))
  const answer = await api('POST', '/v1/deploy', { mcp_id: built.data.mcp_id, environment })
  expect(answer.data.status).toBe('deployed')
  return answer.data.url
}

const MODERN = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'say',
}

function call(headers: Record<string, string>) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return rpc('tools/call', {
    name: 'say',
    arguments: { text: 'hello' },
    ...('mcp-method' in headers && { _meta: meta }),
  })
}

/** Calls on three kept-alive connections. `stop` returns every wrong answer. */
function keepCalling(headers: Record<string, string>) {
  const agent = new Agent({ keepAlive: true })
  const wrong: string[] = []
  let running = true
  let calls = 0
  const client = async () => {
    while (running) {
      const { text } = await send(url, { headers, body: call(headers), agent }).catch(error => ({
        text: String(error),
      }))
      calls++
      if (!text.includes('You said hello')) wrong.push(text)
      await sleep(10) // More requests would only slow down the upgrade.
    }
  }
  const clients = [client(), client(), client()]
  return {
    count: () => calls,
    async stop() {
      running = false
      await Promise.all(clients)
      agent.destroy()
      return wrong
    },
  }
}

test('three upgrades under load from both eras cause no failed request, and sessions continue', async () => {
  const session = await beginSession(url)
  const loads = [keepCalling(MODERN), keepCalling(session)]
  const pids = new Set([home.discovery()!.pid])
  for (let round = 0; round < 3; round++) {
    const before = loads.map(load => load.count())
    await eventually(() => loads.every((load, at) => load.count() > before[at]! + 20))
    left.push(home.discovery()!.pid)
    pids.add((await home.json<{ pid: number }>(['daemon', 'upgrade'])).pid)
  }
  const before = loads.map(load => load.count())
  await eventually(() => loads.every((load, at) => load.count() > before[at]! + 20))
  expect(await Promise.all(loads.map(load => load.stop()))).toEqual([[], []])
  expect(pids.size).toBe(4)
  expect((await post(url, call(session), session)).text).toContain('You said hello')
}, 120_000)

test('an upgrade keeps addresses and sleeping servers, and the new daemon accepts deployments', async () => {
  const asleep = await deploy('sleeper', 'development')
  const { pid, url: apiUrl } = home.discovery()!
  left.push(pid)
  const upgraded = await home.json<{ pid: number; url: string }>(['daemon', 'upgrade'])
  expect(upgraded).toMatchObject({ url: apiUrl })
  expect(upgraded.pid).not.toBe(pid)
  for (const endpoint of [url, asleep])
    expect((await post(endpoint, call(MODERN), MODERN)).text).toContain('You said hello')
  expect((await post(await deploy('later', 'staging'), call(MODERN), MODERN)).text).toContain('hello')
  await eventually(() => !isRunning(pid))
  expect((await home.mcp(['daemon', 'status'])).code).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'an upgrade passes settings to the new daemon, but not the client secret of a command',
  async () => {
    left.push(home.discovery()!.pid)
    const env = { ...home.env, MCP_CLIENT_SECRET: 'hidden-value', MCP_ENTERPRISE_LIMIT: '1234' }
    const { pid } = await home.json<{ pid: number }>(['daemon', 'upgrade'], { env })
    const variables = readProc(pid, 'environ')
    expect(variables).toContain('MCP_ENTERPRISE_LIMIT=1234\0')
    expect(variables).not.toContain('hidden-value')
  },
)

test.each([
  ['MCP_NAMED_PORT', /^http:/],
  ['MCP_NAMED_TLS_PORT', /^https:/],
])('an upgrade with another %s serves host names on that port', async (name, scheme) => {
  const { pid } = home.discovery()!
  left.push(pid)
  const port = await freePort()
  await home.json(['daemon', 'upgrade'], { env: { ...home.env, [name]: String(port) } })
  expect(home.discovery()!.pid).not.toBe(pid)
  const { data } = await api('GET', '/v1/deploy')
  const named = data.items[0].named_urls.find((one: string) => scheme.test(one))
  expect(new URL(named).port).toBe(String(port))
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}

test('an upgrade to a program that cannot start reports the reason, and the old daemon keeps serving', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-successor-'))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{"name":"mcp-hosting","type":"module"}')
  const program = join(folder, 'dist', 'daemon.js')
  // The program exits when it is asked to take over the home.
  writeFileSync(program, "process.on('message', () => process.exit(3)); process.send({ type: 'loaded' })")
  const { pid } = home.discovery()!
  const errorOf = async (attempt: string) => {
    expect(await api('POST', '/api/daemon/upgrade', { program: attempt })).toEqual({ status: 'upgrading' })
    const failed = await eventually(async () => {
      const state = await api('GET', '/api/daemon').catch(() => undefined)
      return state?.upgrade?.status === 'failed' && state
    })
    expect(failed.pid).toBe(pid)
    return failed.upgrade.error
  }
  expect(await errorOf('/bin/true')).toBe(
    '"/bin/true" is not the daemon program of an mcp-hosting installation.',
  )
  expect(await errorOf(program)).toBe('The new daemon exited with code 3. The old one keeps running.')
  expect((await post(url, call(MODERN), MODERN)).text).toContain('You said hello')
  expect((await post(await deploy('after', 'staging'), call(MODERN), MODERN)).text).toContain('hello')
  rmSync(folder, { recursive: true })
})

test('the daemon backs up its home before another version takes over', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-version-'))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'package.json'), '{"name":"mcp-hosting","version":"99.0.0","type":"module"}')
  const program = join(folder, 'dist', 'daemon.js')
  writeFileSync(program, `import ${JSON.stringify(pathToFileURL(DAEMON).href)}`)
  const { pid } = home.discovery()!
  left.push(pid)
  await api('POST', '/api/daemon/upgrade', { program })
  await eventually(() => home.discovery()!.pid !== pid)
  const backups = await home.json<{ reason: string; files: number }[]>(['daemon', 'backup', '--list'])
  expect(backups).toMatchObject([{ reason: 'upgrade', files: 1 }])
  expect((await home.mcp(['daemon', 'backup', '--verify'])).code).toBe(0)
  expect((await post(url, call(MODERN), MODERN)).text).toContain('You said hello')
  rmSync(folder, { recursive: true })
})

test.runIf(process.platform === 'linux')(
  'an old daemon that is killed while the new one starts is still replaced, on the same addresses',
  async () => {
    const { pid } = home.discovery()!
    await api('POST', '/api/daemon/upgrade', {})
    const successor = await eventually(() => childrenOf(pid).find(isSuccessor))
    process.kill(pid, 'SIGKILL')
    await eventually(() => home.discovery()?.pid === successor)
    expect((await post(url, call(MODERN), MODERN)).text).toContain('You said hello')
  },
)

function isSuccessor(pid: number): boolean {
  return readProc(pid, 'cmdline').includes('--take-over')
}
