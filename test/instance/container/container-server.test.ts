import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { prepareDataFolder } from '../../../src/instance/container/data-folder.ts'
import { runArguments } from '../../../src/instance/container/run-arguments.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'
import type { TenantContainer } from '../../../src/shared/instances/tenant-container.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { postModern } from '../../helpers/clients/mcp-requests.ts'
import { type StubEngine, stubEngine } from '../../helpers/containers/stub-engine.ts'
import { eventually } from '../../helpers/daemon/mcp.ts'
import { InstanceHarness } from '../../helpers/instance/instance-harness.ts'
import { readLines } from '../../helpers/instance/programs.ts'

/** A stand-in for a container, listening on the published port, which is `$PORT` inside. */
const SERVE = `exec '${process.execPath}' -e '
  require("node:http").createServer((request, response) => {
    if (request.url === "/end") process.exit(7)
    if (request.url === "/hang") return process.kill(process.pid, "SIGSTOP")
    response.setHeader("content-type", "application/json").end(JSON.stringify({ origin: request.headers.origin ?? null }))
  }).listen(process.env.PORT, "127.0.0.1")'`

function container(engine: StubEngine, changes: Partial<TenantContainer> = {}): TenantContainer {
  return {
    engine: 'podman',
    file: engine.file,
    env: { PATH: '/usr/bin:/bin' },
    image: 'weather:1',
    isOwn: false,
    labels: { 'mcp-hosting.home': 'h' },
    limits: { memoryMb: 64, pids: 32 },
    ...changes,
  }
}

async function serve(script: string, changes: Partial<TenantContainer> = {}) {
  const engine = stubEngine(script)
  const harness = new InstanceHarness()
  const folder = mkdtempSync(join(tmpdir(), 'mcp-container-'))
  onTestFinished(async () => {
    await harness.stop()
    engine[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  })
  const logFile = join(folder, 'log')
  const address = await harness.serve(createArtifact({}), { container: container(engine, changes), logFile })
  return { engine, url: address.url, log: () => readLines(logFile).join('\n') }
}

test("reports the engine's message when the engine does not run the container", async () => {
  await expect(
    serve('case $1 in run) echo "Error: cgroups: no memory controller" >&2; exit 125 ;; esac'),
  ).rejects.toThrow('the container could not be started: Error: cgroups: no memory controller')
})

test('reports a missing container engine', async () => {
  const engine = stubEngine('')
  const missing = container(engine, { file: '/nowhere/podman' })
  engine[Symbol.dispose]()
  const harness = new InstanceHarness()
  onTestFinished(() => harness.stop())
  await expect(harness.serve(createArtifact({}), { container: missing })).rejects.toThrow(
    'the container could not be started:',
  )
})

test('a container that stops is reported with its exit code, and another container answers', async () => {
  const { url, engine, log } = await serve(`case $1 in run) ${SERVE} ;; esac`)
  await fetch(new URL('/end', url)).catch(() => {})
  const answer = await postModern(url, 'tools/list')
  expect(answer.status).toBe(200)
  await eventually(() => log().includes('the container exited with code 7. Restarting'))
  expect(engine.calls().filter(call => call.startsWith('run '))).toHaveLength(2)
  expect(engine.calls().filter(call => call.startsWith('rm --force'))).toHaveLength(1)
})

test('/health reports unhealthy while the container does not answer', async () => {
  const { url } = await serve(`case $1 in run) ${SERVE} ;; esac`)
  const health = async () => {
    const answer = await fetch(new URL('/health', url))
    return { code: answer.status, status: ((await answer.json()) as { status: string }).status }
  }
  expect(await health()).toEqual({ code: 200, status: 'ok' })
  fetch(new URL('/hang', url)).catch(() => {}) // cut off when the instance stops
  await eventually(async () => (await health()).code === 503)
  expect(await health()).toEqual({ code: 503, status: 'unhealthy' })
})

test('the Origin header, which has already been checked, is not passed to our own image', async () => {
  const own = await serve(`case $1 in run) ${SERVE} ;; esac`, { isOwn: true })
  const others = await serve(`case $1 in run) ${SERVE} ;; esac`)
  const ask = async (url: string) => {
    const { origin } = new URL(url)
    return (await fetch(new URL('/x', url), { headers: { origin } })).json()
  }
  expect(await ask(own.url)).toEqual({ origin: null })
  expect(await ask(others.url)).toEqual({ origin: new URL(others.url).origin })
})

test("values of variables are not passed as arguments, unless the engine's client would interpret their names", () => {
  const engine = stubEngine('')
  onTestFinished(() => engine[Symbol.dispose]())
  const tenant = {
    env: { TOKEN: 'secret', DOCKER_HOST: 'x' },
    stateKey: 'key',
    logLevel: 'info',
  } as unknown as Tenant
  const { args, env } = runArguments(container(engine, { isOwn: true }), tenant, { name: 'n', port: 10_001 })
  expect(args.join(' ')).not.toContain('secret')
  expect(args).toContain('TOKEN')
  expect(env).toMatchObject({ TOKEN: 'secret', STATE_KEY: 'key', PORT: '10001' })
  expect(args).toContain('DOCKER_HOST=x')
  expect(env).not.toHaveProperty('DOCKER_HOST')
  expect(args.at(-1)).toBe('weather:1')
})

test('an image gets a persistent DATA_DIR that its user owns, and a temporary one while it is described', () => {
  const engine = stubEngine('')
  const data = mkdtempSync(join(tmpdir(), 'mcp-data-'))
  onTestFinished(() => {
    engine[Symbol.dispose]()
    rmSync(data, { recursive: true, force: true })
  })
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the literal text.
  const tenant = { env: { DB: '${DATA_DIR}/app.db' } } as unknown as Tenant
  const planned = (folder?: string, changes: Partial<TenantContainer> = {}) =>
    runArguments(container(engine, changes), tenant, { name: 'n', data: folder })
  expect(planned(data).args.join(' ')).toContain(`--volume ${data}:/mcp-data:z`)
  expect(planned(data).env).toMatchObject({ DATA_DIR: '/mcp-data', DB: '/mcp-data/app.db' })
  expect(planned().args).not.toContain('--volume')
  expect(planned().env).toMatchObject({ DATA_DIR: '/tmp', DB: '/tmp/app.db' })
  const isRoot = process.getuid?.() === 0
  const maps = (changes: Partial<TenantContainer>) =>
    planned(data, changes).args.includes('keep-id:uid=7,gid=7')
  expect([maps({ uid: 7 }), maps({ uid: 7, engine: 'docker' }), maps({ uid: 0 })]).toEqual([
    !isRoot,
    false,
    false,
  ])
  prepareDataFolder(data, { engine: 'podman', uid: 7 })
  expect(statSync(data).uid).toBe(isRoot ? 7 : process.getuid?.())
  prepareDataFolder(data, { engine: 'docker' })
  expect(statSync(data).mode & 0o777).toBe(0o777)
})

test('passes only the configured limits to the engine', () => {
  const engine = stubEngine('')
  onTestFinished(() => engine[Symbol.dispose]())
  const tenant = { env: {} } as Tenant
  const argsOf = (limits: TenantContainer['limits']) =>
    runArguments(container(engine, { limits }), tenant, { name: 'n', port: 1 }).args.join(' ')
  expect(argsOf({ memoryMb: 64, cpus: 0.5, pids: 9 })).toContain(
    '--memory 64m --memory-swap 64m --cpus 0.5 --pids-limit 9',
  )
  expect(argsOf({})).not.toMatch(/--memory|--cpus|--pids-limit/)
})
