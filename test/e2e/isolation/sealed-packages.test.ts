import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runEsbuild } from '../../../src/daemon/builder/project/run-esbuild.ts'
import { deployFolder } from '../../helpers/daemon/custom-server.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'mcp-sealed-'))

/** Typical dependencies of servers: npm packages of both module systems, and Node's own modules. */
const USES = `
  import { AsyncLocalStorage } from 'node:async_hooks'
  import { createHash } from 'node:crypto'
  import { lookup } from 'node:dns/promises'
  import { createServer } from 'node:http'
  import { once } from 'node:events'
  import { pipeline } from 'node:stream/promises'
  import { promisify } from 'node:util'
  import { gzip, gunzip } from 'node:zlib'
  import Ajv from 'ajv'
  import chalk from 'chalk'
  import debug from 'debug'
  import { Hono } from 'hono'
  import { Liquid } from 'liquidjs'
  import { request } from 'undici'
  import { z } from 'zod'

  const shape = z.object({ url: z.string() })
  const local = new AsyncLocalStorage()

  async function ownServer() {
    const server = createServer((_, response) => response.end('own')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const answer = await fetch('http://127.0.0.1:' + server.address().port)
    server.close()
    return answer.text()
  }

  const USES = {
    zod: () => shape.safeParse({ url: 1 }).error.issues[0].path[0],
    ajv: () => new Ajv().compile({ type: 'number' })(1),
    chalk: () => chalk.level >= 0,
    debug: () => { debug.enable('x'); debug('x')('printed by debug'); return true },
    hono: async () => (await new Hono().get('/', c => c.text('hono')).request('/')).text(),
    liquid: () => new Liquid().parseAndRender('{{ a | upcase }}', { a: 'a' }),
    undici: async ({ url }) => (await request(url)).body.text(),
    fetch: async ({ url }) => (await fetch(url)).text(),
    lookup: async () => (await lookup('localhost')).address.length > 0,
    server: ownServer,
    hash: () => createHash('sha256').update('a').digest('hex').slice(0, 6),
    zlib: async () => String(await promisify(gunzip)(await promisify(gzip)('zip'))),
    storage: () => local.run('kept', () => new Promise(done => setTimeout(() => done(local.getStore()), 1))),
    console: () => { console.log('%s of %d', 'one', 2); console.error('wrong'); console.table([{ a: 1 }]); return true },
    stdout: () => new Promise(done => process.stdout.write('written\\n', () => done(true))),
    signals: () => process.on('SIGTERM', () => {}).listenerCount('SIGTERM') > 1,
    exit: () => { process.once('exit', () => {}); return true },
    stream: async () => { await pipeline(['a', 'b'], async function* (source) { for await (const one of source) yield one }, async source => { for await (const one of source) void one }); return true },
    builtin: () => typeof process.getBuiltinModule('node:fs').readFileSync,
    wasm: () => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])) instanceof WebAssembly.Module,
    evaluated: () => new Function('return 1 + 1')(),
    exists: () => process.getBuiltinModule('node:fs').existsSync('/etc/hostname'),
    running: () => process.kill(process.pid, 0),
    resolved: () => ['/etc/hostname', '/nowhere'].map(path => { try { return process.getBuiltinModule('node:fs').realpathSync(path) } catch ({ code }) { return code } }),
    missing: () => { try { return process.getBuiltinModule('node:fs').readFileSync('/etc/hostname') } catch ({ code }) { return code } },
  }

  export default {
    description: 'Uses what servers use',
    input: { type: 'object' },
    handler: async where => {
      const answers = {}
      for (const [name, use] of Object.entries(USES)) {
        try { answers[name] = await use(where) } catch (error) { answers[name] = String(error.stack) }
      }
      return answers
    },
  }
`

let daemon: TestDaemon
let url: string
let deploymentId: string
const web = createServer((_, response) => response.end('from the web'))

beforeAll(async () => {
  mkdirSync(join(folder, 'tools'))
  await runEsbuild({
    stdin: { contents: USES, resolveDir: root },
    outfile: join(folder, 'tools/use.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');" },
  })
  await new Promise<void>(resolve => web.listen(0, '127.0.0.1', resolve))
  daemon = await startTestDaemon()
  // The web server of this test listens on loopback.
  const config = { allow_private_network: true }
  const deployed = await deployFolder(daemon, 'uses', folder, { config })
  url = deployed.url
  deploymentId = deployed.deployment_id
})
afterAll(async () => {
  web.close()
  await daemon.close()
  rmSync(folder, { recursive: true, force: true })
})

test('npm packages and Node modules work in a locked-down process, which denies access to system files', async () => {
  const { port } = web.address() as AddressInfo
  const { structuredContent: answers } = await callTool(url, 'use', { url: `http://127.0.0.1:${port}/` })
  expect(answers).toEqual({
    zod: 'url',
    ajv: true,
    chalk: true,
    debug: true,
    hono: 'hono',
    liquid: 'A',
    undici: 'from the web',
    fetch: 'from the web',
    lookup: true,
    server: 'own',
    hash: 'ca9781',
    zlib: 'zip',
    storage: 'kept',
    console: true,
    stdout: true,
    signals: true,
    exit: true,
    stream: true,
    builtin: 'function',
    wasm: true,
    evaluated: 2,
    exists: false,
    running: true,
    resolved: ['ERR_ACCESS_DENIED', 'ERR_ACCESS_DENIED'],
    missing: 'ERR_ACCESS_DENIED',
  })
})

test('the log has the output from packages and names its stream', async () => {
  const { body } = await daemon.api('GET', `/api/lambda-deploy/${deploymentId}/logs`)
  const printed = body.lines.filter(({ stream }: { stream: string }) => stream.startsWith('std'))
  const lines = printed.map((line: { stream: string; message: string }) => `${line.stream}: ${line.message}`)
  expect(lines).toEqual(expect.arrayContaining(['stdout: one of 2', 'stderr: wrong', 'stdout: written']))
  expect(lines.some((line: string) => /^stderr: .*printed by debug/.test(line))).toBe(true)
})
