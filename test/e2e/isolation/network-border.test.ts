import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

/** A module that runs the code it is given. 127.0.0.3 represents the public network. */
const TOOL = `const AsyncFunction = (async () => {}).constructor
const load = name => import(name)
export default {
  description: 'Runs code',
  input: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'] },
  async handler({ code }) {
    try {
      return String(await new AsyncFunction('load', code)(load))
    } catch (error) {
      const { code, message } = error.cause ?? error
      return code + ': ' + message
    }
  },
}`

/** Replaces the default timeout of `vi.waitFor`, which is one second. */
const WITHIN_LIMIT = { timeout: 50_000 }

let daemon: TestDaemon
let folder: string
let web: ReturnType<typeof createServer>
let port: number

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-border-'))
  mkdirSync(join(folder, 'tools'))
  writeFileSync(join(folder, 'tools', 'run.js'), TOOL)
  web = createServer((_, response) => response.end('from the web')).listen(0, '127.0.0.3')
  await once(web, 'listening')
  port = (web.address() as AddressInfo).port
  daemon = await startTestDaemon({ publicAddresses: ['127.0.0.3'] })
})

afterAll(async () => {
  await daemon.close()
  web.close()
  rmSync(folder, { recursive: true })
})

async function deploy(name: string, config: object = {}) {
  const { url, deployment_id: id } = await deployFolder(daemon, name, folder, { config })
  const run = async (code: string) => (await callTool(url, 'run', { code })).content[0].text as string
  const logs = async () => (await daemon.api('GET', `/api/lambda-deploy/${id}/logs`)).text
  const destinations = async () =>
    (await daemon.api('GET', `/api/lambda-deploy/${id}/metrics`)).body.destinations
  return { run, logs, destinations }
}

const get = (address: string) => `return (await fetch('http://${address}/')).text()`

test('a module reaches only the public network, its connections are counted, and refused ones are logged', async () => {
  const { run, logs, destinations } = await deploy('open')
  expect(await run(get(`127.0.0.3:${port}`))).toBe('from the web')
  const refused = 'was refused: it leads to a private network. Set "allow_private_network": true'
  for (const address of ['127.0.0.2:80', '169.254.169.254', '10.0.0.1', '[::1]:80', '[::ffff:10.0.0.1]'])
    expect(await run(get(address))).toContain(refused)
  await vi.waitFor(async () => {
    expect(await logs()).toContain('The connection to 169.254.169.254:80 was refused')
    expect(await destinations()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ host: '127.0.0.3', port, connections: 1, refusals: 0 }),
        expect.objectContaining({ host: '10.0.0.1', port: 80, connections: 0, refusals: 2 }),
      ]),
    )
  }, WITHIN_LIMIT)
})

test('a host list allows only its hosts, and "none" allows no connection', async () => {
  const listed = await deploy('listed', { network: { allow: [`127.0.0.3:${port}`] } })
  expect(await listed.run(get(`127.0.0.3:${port}`))).toBe('from the web')
  expect(await listed.run(get('127.0.0.3:8081'))).toContain('Add "127.0.0.3:8081" to deploy.network.allow')
  const closed = await deploy('closed', { network: 'none' })
  expect(await closed.run(get(`127.0.0.3:${port}`))).toContain('"network": "none"')
})

test('native socket handles reach only an empty loopback interface', async () => {
  const { run } = await deploy('sly')
  const raw = (address: string, to: number) => `
    const net = await load('node:net')
    const own = net.createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise(resolve => own.on('listening', resolve))
    const socket = net.connect(own.address().port, '127.0.0.1')
    await new Promise(resolve => socket.on('connect', resolve))
    const { _handle: { constructor: TCP } } = socket
    const { connect } = TCP.prototype
    const Request = await new Promise(resolve => {
      TCP.prototype.connect = (request, ...rest) => resolve(request.constructor)
      net.connect(own.address().port, '127.0.0.1').on('error', () => {})
    })
    TCP.prototype.connect = connect
    const request = new Request()
    const done = new Promise(resolve => { request.oncomplete = status => resolve(status) })
    const begun = new TCP(0).connect(request, '${address}', ${to})
    return begun === 0 ? await done : begun`
  const [refused, unreachable] = [-111, -101]
  expect(Number(await run(raw('127.0.0.3', port)))).toBe(refused)
  expect(Number(await run(raw('93.184.215.14', 80)))).toBe(unreachable)
})

test('the egress process is restarted when it is killed', async () => {
  const { run } = await deploy('steady')
  await expect.poll(() => run(get(`127.0.0.3:${port}`))).toBe('from the web')
  const before = daemon.daemon.egressPid()!
  process.kill(before, 'SIGKILL')
  await expect.poll(() => daemon.daemon.egressPid()).not.toBe(before)
  await expect.poll(() => run(get(`127.0.0.3:${port}`))).toBe('from the web')
})

const PYTHON = `
import json, sys, urllib.request
def get(url):
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    opened = direct if url.startswith('direct ') else urllib.request.urlopen
    try:
        return opened(url.removeprefix('direct '), timeout=20).read().decode()
    except Exception as error:
        print(error, file=sys.stderr, flush=True)
        return getattr(error, 'read', lambda: str(error).encode())().decode()
for line in sys.stdin:
    message = json.loads(line)
    if 'id' not in message: continue
    method, params = message['method'], message.get('params', {})
    if method == 'initialize': result = {'protocolVersion': params['protocolVersion'], 'capabilities': {'tools': {}}, 'serverInfo': {'name': 'p', 'version': '1'}}
    elif method == 'tools/list': result = {'tools': [{'name': 'run', 'inputSchema': {'type': 'object'}}]}
    else:
        result = {'content': [{'type': 'text', 'text': get(params['arguments']['code'])}]}
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
`

const NODE = `
import { createServer } from 'node:http'
import readline from 'node:readline'
const get = async url => {
  const response = await fetch(url)
  return response.text()
}
for await (const line of readline.createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  let result = {}
  if (method === 'initialize') result = { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'n', version: '1' } }
  else if (method === 'tools/list') result = { tools: [{ name: 'run', inputSchema: { type: 'object' } }] }
  else if (method === 'tools/call') result = { content: [{ type: 'text', text: await get(params.arguments.code).catch(error => String(error.cause ?? error)) }] }
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
}
`

async function deployProgram(name: string, command: string, args: string[]) {
  const built = await daemon.api('POST', '/v1/build', {
    body: { name, template: 'custom', program: { type: 'stdio', command, args } },
  })
  const { body } = await daemon.api('POST', '/v1/deploy', {
    body: { mcp_id: built.body.data.mcp_id, environment: 'production' },
  })
  const { url, deployment_id: id } = body.data
  return {
    run: async (code: string) => (await callTool(url, 'run', { code })).content[0].text as string,
    logs: async () => (await daemon.api('GET', `/api/lambda-deploy/${id}/logs`)).text,
  }
}

test('a Python program reaches the public network only through the proxy in its variables', async () => {
  writeFileSync(join(folder, 'server.py'), PYTHON)
  const { run, logs } = await deployProgram('python', 'python3', [join(folder, 'server.py')])
  expect(await run(`http://127.0.0.3:${port}/`)).toBe('from the web')
  expect(await run('http://169.254.169.254/')).toContain('it leads to a private network')
  expect(await run(`http://127.0.0.1:${new URL(daemon.url).port}/health`)).toContain('refused')
  expect(await run(`direct http://127.0.0.3:${port}/`)).toMatch(/refused|unreachable/)
  await vi.waitFor(async () => {
    const text = await logs()
    expect(text).toContain('The connection to 169.254.169.254:80 was refused')
    expect(text).toContain('programs reach the network through the proxy in HTTP_PROXY')
  }, WITHIN_LIMIT)
})

test('a Node program reaches only the public network with fetch', async () => {
  writeFileSync(join(folder, 'server.mjs'), NODE)
  const { run } = await deployProgram('node', process.execPath, [join(folder, 'server.mjs')])
  expect(await run(`http://127.0.0.3:${port}/`)).toBe('from the web')
  expect(await run('http://10.0.0.1/')).toContain('it leads to a private network')
})
