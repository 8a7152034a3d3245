import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { engineEnvironment } from '../../../src/shared/container-engine.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { createTenant } from '../../fixtures/instance/tenant.ts'
import { modern, modernHeaders, postModern, send } from '../../helpers/clients/mcp-requests.ts'
import { HAS_PODMAN } from '../../helpers/containers/containers.ts'
import { seedNodeBase } from '../../helpers/containers/node-base.ts'
import { eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { RuntimeHarness } from '../../helpers/instance/runtime-harness.ts'
import { callTool, EngineHome } from './engine-home.ts'

const INSTANCE_PROGRAM = new URL('../../../dist/instance.js', import.meta.url).pathname

const WEATHER = new URL('../../../examples/weather', import.meta.url).pathname

const KEEPER = new URL('../../fixtures/programs/keeper.mjs', import.meta.url).pathname

describe.runIf(HAS_PODMAN)('a deployment in containers', () => {
  let engine: EngineHome
  let home: TestHome
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    engine = await EngineHome.open()
    ;({ home, env } = engine)
    await seedNodeBase(join(home.dir, 'images'))
    // Builds the image and loads it into the engine, once for all tests.
    await engine.deploy([WEATHER, '--image', '--memory', '96', '--pids', '40', '--cpus', '0.8'])
  }, 120_000)

  afterAll(() => engine.remove(), 60_000)

  function weatherImage(): string {
    const name = ['--filter', 'reference=*/*/weather', '--format', '{{.Repository}}:{{.Tag}}']
    return engine.podman('images', ...name).trim()
  }

  test('a deployment in containers answers clients of both protocol eras, and the log and the status report the calls', async () => {
    const { url, config, deployment_id } = await engine.status('weather')
    expect(config).toMatchObject({ engine: 'container' })
    expect(JSON.stringify(await callTool(url, 'current_weather', { city: 'Oslo' }))).toContain('Norway')
    const modern = await postModern(url, 'tools/call', {
      name: 'current_weather',
      arguments: { city: 'Lima' },
    })
    expect(modern.json.result.structuredContent).toMatchObject({ country: 'Peru' })
    await eventually(async () =>
      (await engine.logs(deployment_id)).includes('mcp: tools/call current_weather'),
    )
    expect(await (await fetch(new URL('/health', url))).json()).toMatchObject({ status: 'ok' })
    const health = () => engine.api(`/api/lambda-deploy/${deployment_id}/health`)
    const counted = await eventually(async () =>
      (await health()).requests.total >= 2 ? health() : undefined,
    )
    expect(counted).toMatchObject({ status: 'healthy', requests: { errors: 0 } })
    // The container and its supervising process together.
    expect(counted.instances[0].memoryBytes).toBeGreaterThan(60_000_000)
  }, 60_000)

  test('a deployment in containers has no privileges, a read-only root file system, and limits on memory, processes and CPU', async () => {
    const { deployment_id } = await engine.status('weather')
    const name = engine.containerOf(deployment_id)
    const inspected = JSON.parse(engine.podman('inspect', name))[0]
    expect(inspected.EffectiveCaps ?? []).toEqual([])
    expect(inspected.BoundingCaps ?? []).toEqual([])
    expect(inspected.HostConfig).toMatchObject({
      ReadonlyRootfs: true,
      Memory: 96 * 1024 * 1024,
      MemorySwap: 96 * 1024 * 1024,
      PidsLimit: 40,
      NanoCpus: 800_000_000,
      SecurityOpt: ['no-new-privileges'],
      Privileged: false,
    })
    const inside = `
      const { writeFileSync, readFileSync } = require('node:fs')
      const tried = path => { try { writeFileSync(path, ''); return 'written' } catch (error) { return error.code } }
      const status = readFileSync('/proc/1/status', 'utf8')
      const of = name => new RegExp('^' + name + ':\\\\s*(\\\\S+)', 'm').exec(status)[1]
      console.log(JSON.stringify([tried('/app/x'), tried('/tmp/x'), of('Uid'), of('CapEff'), of('NoNewPrivs')]))`
    const said = JSON.parse(engine.podman('exec', name, '/usr/local/bin/node', '-e', inside))
    expect(said).toEqual(['EROFS', 'written', '65532', '0000000000000000', '1'])
  }, 60_000)

  test('a release of a deployment in containers causes no failed request', async () => {
    const { url } = await engine.status('weather')
    const agent = new Agent({ keepAlive: true, maxSockets: 4 })
    const statuses: number[] = []
    let isOver = false
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        statuses.push((await list(url, agent)).status)
        await sleep(20) // More requests would only slow down the release.
      }
    })
    const before = await engine.status('weather')
    const after = await engine.deploy([WEATHER, '--image'])
    isOver = true
    await Promise.all(load)
    agent.destroy()
    expect(after.deployment_id).not.toBe(before.deployment_id)
    expect(statuses.length).toBeGreaterThan(10)
    expect(new Set(statuses)).toEqual(new Set([200]))
    await eventually(() => engine.containers(before.deployment_id).length === 0)
  }, 60_000)

  test('a killed container is replaced and logged', async () => {
    const { url, deployment_id } = await engine.status('weather')
    const killed = engine.containerOf(deployment_id)
    engine.podman('kill', '--signal', 'KILL', killed)
    const answer = await eventually(async () => {
      const { status, json } = await postModern(url, 'tools/list')
      return status === 200 && json
    })
    expect(answer.result).toBeDefined()
    const [instance] = (await engine.status('weather')).instances
    expect(instance).toMatchObject({ restarts: 1, lastFailure: 'was killed by SIGKILL, exit code 137' })
    expect(engine.containerOf(deployment_id)).not.toBe(killed)
    const expected = 'server: the container was killed by SIGKILL, exit code 137. Restarting immediately.'
    await eventually(async () => (await engine.logs(deployment_id)).includes(expected))
  }, 60_000)

  test('a container that uses too much memory is killed, and the status and the log say why', async () => {
    const folder = join(home.dir, 'greedy')
    mkdirSync(join(folder, 'tools'), { recursive: true })
    writeFileSync(join(folder, 'mcp.config.json'), '{"name":"greedy","template":"custom"}')
    writeFileSync(
      join(folder, 'tools', 'take.ts'),
      `const kept: Buffer[] = []
       console.log('loaded')
       export default { description: 'Takes memory', handler: () => {
         for (let i = 0; i < 300; i++) kept.push(Buffer.alloc(1048576, 1))
         return 'taken'
       } }`,
    )
    const { url, deployment_id } = await engine.deploy([folder, '--image', '--memory', '80'])
    const {
      status: code,
      headers,
      json,
    } = await postModern(url, 'tools/call', { name: 'take', arguments: {} })
    expect({ code, retry: headers['retry-after'] }).toEqual({ code: 502, retry: '1' })
    expect(json.error.message).toContain('container')
    const failed = await eventually(async () =>
      (await engine.status('greedy')).instances.find(one => one.lastFailure),
    )
    expect(failed.lastFailure).toBe('was killed: out of memory (limit 80 MB), exit code 137')
    const ended = 'server: the container was killed: out of memory (limit 80 MB), exit code 137'
    const lines = await eventually(async () => {
      const text = (await engine.logs(deployment_id)).join('\n')
      return text.includes(ended) && text
    })
    expect(lines).toContain('stdout: loaded')
    await home.mcp(['remove', 'greedy', '--yes'], { env })
  }, 60_000)

  test('a killed daemon leaves no container and loses no log line, and the next daemon serves at the same address', async () => {
    const { url, deployment_id } = await engine.status('weather')
    const call = () =>
      postModern(url, 'tools/call', { name: 'current_weather', arguments: { city: 'Cairo' } })
    for (let calls = 0; calls < 20; calls++) await call()
    process.kill(home.discovery()!.pid, 'SIGKILL')
    await eventually(() => engine.containers().length === 0)
    await home.json(['daemon', 'start'], { env })
    expect(await engine.status('weather')).toMatchObject({ url, deployment_id, status: 'deployed' })
    expect((await call()).json.result.structuredContent).toMatchObject({ country: 'Egypt' })
    const isCall = (line: string) => line === 'mcp: tools/call current_weather'
    await eventually(async () => (await engine.logs(deployment_id)).filter(isCall).length === 21)
    expect(engine.containers(deployment_id)).toHaveLength(1)
  }, 60_000)

  test('no container is left when the daemon and the instance are killed together', async () => {
    const [instance] = (await engine.status('weather')).instances
    process.kill(home.discovery()!.pid, 'SIGKILL')
    process.kill(instance!.pid, 'SIGKILL')
    await eventually(() => engine.containers().length === 0)
    await home.json(['daemon', 'start'], { env })
    expect(await engine.status('weather')).toMatchObject({ status: 'deployed' })
  }, 60_000)

  test('a deployment runs min_instances containers, and none after a stop', async () => {
    const { deployment_id } = await engine.deploy([WEATHER, '--image', '--env', 'production', '--min', '2'])
    expect(engine.containers(deployment_id)).toHaveLength(2)
    expect((await home.mcp(['stop', deployment_id], { env })).code).toBe(0)
    await eventually(() => engine.containers(deployment_id).length === 0)
  }, 60_000)

  test('a sleeping deployment has no container, and a connection wakes it up', async () => {
    const image = weatherImage()
    await using runtime = new RuntimeHarness({ instanceProgram: INSTANCE_PROGRAM })
    const url = await runtime.add('sleeper', {
      loadTenant: () => createTenant('sleeper', { allowedHosts: ['sleeper'] }),
      placement: 'dedicated',
      idleMs: 300,
      isContained: true,
      loadArtifact: () => createArtifact(),
      provide: async () => ({
        container: {
          engine: 'podman',
          file: execFileSync('/bin/sh', ['-c', 'command -v podman'], { encoding: 'utf8' }).trim(),
          env: engineEnvironment(env),
          image,
          isOwn: true,
          labels: { 'mcp-hosting.id': 'sleeper' },
          limits: {},
        },
      }),
    })
    await runtime.supervisor.start('sleeper')
    await eventually(() => engine.containers('sleeper').length === 0)
    const answer = await send(new URL('/nothing', url).href, { headers: { host: 'sleeper' } })
    expect(answer.json.error.message).toContain('Nothing is served at /nothing')
  }, 60_000)

  test('an existing image can be deployed, lists tools without a container, and keeps its DATA_DIR across a restart', async () => {
    engine.podman('tag', weatherImage(), 'localhost/forecasts:1')
    const { url, config, deployment_id } = await engine.deploy([
      '--image',
      'localhost/forecasts:1',
      '--memory',
      '128',
    ])
    expect(config).toMatchObject({
      engine: 'container',
      image: 'localhost/forecasts:1',
      limits: { memory_mb: 128 },
    })
    const read = "require('node:fs').readFileSync(process.env.DATA_DIR + '/kept')"
    const write = "require('node:fs').writeFileSync(process.env.DATA_DIR + '/kept', '')"
    engine.podman('exec', engine.containerOf(deployment_id), '/usr/local/bin/node', '-e', write)
    await home.mcp(['daemon', 'restart'], { env })
    // The supervising process removes its container shortly after the daemon stops.
    await eventually(() => engine.containers(deployment_id).length === 0)
    const { result } = (await postModern(url, 'tools/list')).json
    expect(result.tools[0].name).toBe('current_weather')
    expect(engine.containers(deployment_id)).toEqual([])
    expect(JSON.stringify(await callTool(url, 'current_weather', { city: 'Oslo' }))).toContain('Norway')
    expect(engine.containers(deployment_id)).toHaveLength(1)
    engine.podman('exec', engine.containerOf(deployment_id), '/usr/local/bin/node', '-e', read)
    expect(statSync(join(home.dir, 'state/forecasts/development/files/kept')).uid).toBe(65_532)
  }, 60_000)

  test('a program in an image that mcp builds keeps its DATA_DIR across releases', async () => {
    const folder = join(home.dir, 'keeper')
    mkdirSync(folder)
    const program = { type: 'stdio', command: 'node', args: ['server.mjs'] }
    writeFileSync(
      join(folder, 'mcp.config.json'),
      JSON.stringify({ name: 'keeper', template: 'custom', program }),
    )
    copyFileSync(KEEPER, join(folder, 'server.mjs'))
    const count = async () => JSON.stringify(await callTool((await engine.status('keeper')).url, 'count', {}))
    await engine.deploy([folder, '--image'])
    expect(await count()).toContain('"1"')
    await engine.deploy([folder, '--image'])
    expect(await count()).toContain('"2"')
  }, 60_000)

  test('no container is left when the daemon stops', async () => {
    expect(engine.containers().length).toBeGreaterThan(0)
    await home.mcp(['daemon', 'stop'], { env })
    expect(engine.containers()).toEqual([])
  }, 60_000)
})

function list(url: string, agent: Agent) {
  const body = modern('tools/list', {})
  return send(url, { body, agent, headers: modernHeaders('tools/list') })
}
