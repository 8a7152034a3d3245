import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildServer, deploy, echoServer } from '../daemon/http/fixtures.ts'
import { tarGz } from '../helpers/archives.ts'
import { seedSmallBase } from '../helpers/containers/small-base.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../helpers/daemon/daemon.ts'
import { uniqueName } from '../helpers/unique-name.ts'
import { STATE_CHANGES, type StateChange } from './state-changes.ts'

const GATED = fileURLToPath(new URL('../fixtures/programs/gated-server.mjs', import.meta.url))

let daemon: TestDaemon
let folder: string
let made = 0
/** A registry that never answers. Builds that need its images stay in progress. */
const silentRegistry = createServer(() => {})

beforeAll(async () => {
  await once(silentRegistry.listen(0, '127.0.0.1'), 'listening')
  folder = mkdtempSync(join(tmpdir(), 'mcp-gates-'))
  daemon = await startTestDaemon()
  await seedSmallBase(daemon.home.images)
})

afterAll(async () => {
  await daemon.close()
  silentRegistry.closeAllConnections()
  silentRegistry.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A record in a state, and its possible requests and events. */
interface Subject {
  ask(what: string): Promise<number | 'none'>
  /** `gone` for a removed record. */
  state(): Promise<string>
  /** Releases what keeps the record in its state. */
  release(): unknown
}

const api = (method: string, path: string, body?: unknown, headers = {}) =>
  daemon.api(method, path, { ...(body !== undefined && { body }), headers })
const ASYNC = { prefer: 'respond-async' }

/** Build request for a server whose start waits for a file, and a function that writes the file. */
function gatedServer() {
  const gate = join(folder, `gate-${++made}`)
  const program = {
    type: 'stdio',
    command: process.execPath,
    args: [GATED, gate],
    isolation: { sandbox: 'off' },
  }
  const set = (says: 'wait' | 'go' | 'fail') => writeFileSync(gate, says)
  return { set, request: { name: `gated-${made}`, template: 'custom', program } }
}

/** Creates a record in the given state, ready for the request or event. */
const subjects: Record<StateChange['of'], (state: string, asked: string) => Promise<Subject>> = {
  async build(state) {
    const { set, request } = gatedServer()
    set(state === 'ready' ? 'go' : state === 'failed' ? 'fail' : 'wait')
    const headers = state === 'building' ? ASYNC : {}
    const { body } = await api('POST', '/v1/build', request, headers)
    const { mcp_id } = body.data
    const path = `/v1/build/${mcp_id}`
    const asks: Record<string, () => Promise<number | 'none'>> = {
      'it succeeds': async () => set('go') ?? 'none',
      'its program exits': async () => set('fail') ?? 'none',
      DELETE: async () => (await api('DELETE', path)).status,
      'POST /v1/deploy': async () =>
        (await api('POST', '/v1/deploy', { mcp_id, environment: 'staging' })).status,
    }
    return {
      ask: what => asks[what]!(),
      state: async () => (await api('GET', path)).body.data?.status ?? 'gone',
      release: () => set('fail'),
    }
  },

  async deployment(state, asked) {
    const { set, request } = gatedServer()
    set('go')
    // Without a program, deployments in staging share a process.
    const hasProgram = ['deploying', 'failed'].includes(state) || asked.startsWith('its program exits')
    const mcp_id = await buildServer(daemon, hasProgram ? request : echoServer(request.name))
    const environment = hasProgram ? 'production' : 'staging'
    const wanted = {
      mcp_id,
      environment,
      config: { scaling: { min_instances: 1, max_instances: 1 } },
    }
    set(state === 'deploying' ? 'wait' : state === 'failed' ? 'fail' : 'go')
    const headers = state === 'deploying' ? ASYNC : {}
    const { body } = await api('POST', '/v1/deploy', wanted, headers)
    const path = `/v1/deploy/${body.data.deployment_id}`
    if (state === 'stopped') await api('POST', `${path}/stop`)
    const post = (verb: string) => async () => (await api('POST', `${path}/${verb}`)).status
    const asks: Record<string, () => Promise<number | 'none'>> = {
      'it is healthy': async () => set('go') ?? 'none',
      'its program exits': async () => set('fail') ?? 'none',
      'its program exits repeatedly': async () => {
        set('fail')
        await callTool(body.data.url, 'exit')
        return 'none'
      },
      'POST …/stop': post('stop'),
      'POST …/start': async () => set('go') ?? (await post('start')()),
      'POST …/restart': post('restart'),
      'POST …/rollback': post('rollback'),
      'POST …/reconfigure': async () =>
        (await api('POST', `${path}/reconfigure`, { config: { record_bodies: true } })).status,
      'POST /v1/deploy for the same server': async () => (await api('POST', '/v1/deploy', wanted)).status,
      'POST …/start while another one is live': async () => {
        set('go')
        await deploy(daemon, mcp_id, environment)
        return post('start')()
      },
      DELETE: async () => (await api('DELETE', path)).status,
    }
    return {
      ask: what => asks[what]!(),
      state: async () => (await api('GET', `${path}/status`)).body.data?.status ?? 'gone',
      release: () => set('go'),
    }
  },

  async 'container build'(state) {
    // Two builds run at a time. These two make later ones wait.
    const before = state === 'pending' ? [await triggeredSilent(), await triggeredSilent()] : []
    for (const { path } of before) await reached(path, 'in_progress')
    const sources: Record<string, Record<string, string>> = {
      succeeded: DECLARED,
      failed: BROKEN,
      in_progress: HELD,
      pending: DECLARED,
    }
    const { path, project } = await (state === 'stopped' ? triggeredSilent() : triggered(sources[state]!))
    if (state === 'stopped') await api('POST', `${path}/stop`)
    await reached(path, state)
    const stopAll = async () => {
      for (const held of before) await api('POST', `${held.path}/stop`)
    }
    const asks: Record<string, () => Promise<number | 'none'>> = {
      'its turn comes': async () => (await stopAll()) ?? 'none',
      'POST …/stop': async () => (await api('POST', `${path}/stop`)).status,
      'POST …/trigger for its project': async () =>
        (await api('POST', `/api/lambda-builds/trigger/${project}`)).status,
    }
    return {
      ask: what => asks[what]!(),
      state: async () => (await api('GET', path)).body.status,
      async release() {
        await stopAll()
        await api('POST', `${path}/stop`)
        const { body } = await api('GET', `/api/lambda-builds?projectId=${project}`)
        for (const { id } of body.items) await api('POST', `/api/lambda-builds/${id}/stop`)
      },
    }
  },

  async project(state) {
    const project = await projectOf(DECLARED)
    const path = `/api/projects/${project}`
    if (state !== 'active') await api('PATCH', path, { status: state })
    const patch = (change: object) => async () => (await api('PATCH', path, change)).status
    const asks: Record<string, () => Promise<number | 'none'>> = {
      'PATCH status active': patch({ status: 'active' }),
      'PATCH status archived': patch({ status: 'archived' }),
      'PATCH status deleted': patch({ status: 'deleted' }),
      'PATCH name': patch({ name: 'renamed' }),
      'PUT …/source': async () => (await upload(project, DECLARED)).status,
      'POST …/trigger': async () => (await api('POST', `/api/lambda-builds/trigger/${project}`)).status,
    }
    return {
      ask: what => asks[what]!(),
      state: async () => (await api('GET', path)).body.status,
      release: () => undefined,
    }
  },
}

const DECLARED = { 'mcp.config.json': JSON.stringify(echoServer('declared')) }
const BROKEN = { 'README.md': 'nothing to build' }
const HELD = {
  'mcp.config.json': JSON.stringify({ name: 'held', template: 'custom' }),
  'tools/never.ts': `await new Promise(resolve => setTimeout(resolve, 600_000))\nexport default { description: 'Never', handler: () => '' }`,
}

async function projectOf(files: Record<string, string>, facts: object = {}): Promise<string> {
  const { body } = await api('POST', '/api/projects', { name: uniqueName('stateful'), ...facts })
  await upload(body.id, files)
  return body.id
}

function upload(project: string, files: Record<string, string>) {
  const body = tarGz(Object.entries(files).map(([name, content]) => ({ name, content })))
  return daemon.api('PUT', `/api/projects/${project}/source`, {
    body,
    headers: { 'content-type': 'application/gzip' },
  })
}

async function triggered(
  files: Record<string, string>,
  facts: object = {},
): Promise<{ path: string; project: string }> {
  const project = await projectOf({ ...files, 'made.txt': String(++made) }, facts)
  const { body } = await api('POST', `/api/lambda-builds/trigger/${project}`)
  return { path: `/api/lambda-builds/${body.id}`, project }
}

/** Triggers a build that waits for the silent registry, without a process. */
function triggeredSilent() {
  const { port } = silentRegistry.address() as AddressInfo
  return triggered(DECLARED, { baseImage: `127.0.0.1:${port}/base:1` })
}

const reached = (path: string, state: string) =>
  expect.poll(async () => (await api('GET', path)).body.status, { timeout: 20_000 }).toBe(state)

/** Event that affects all records, so it is tested once for all of them. */
const DAEMON_STOPS = 'the daemon stops'

// First, because restarting the daemon restarts every deployment.
test('every record has the documented state after the daemon stops', async () => {
  const changes = STATE_CHANGES.filter(({ asked }) => asked === DAEMON_STOPS)
  const all = await Promise.all(
    changes.map(async change => ({
      ...change,
      subject: await subjects[change.of](change.from, change.asked),
    })),
  )
  try {
    for (const { subject, of, from } of all) expect(await subject.state(), of).toBe(from)
    await daemon.restart()
    for (const { subject, of, from, then } of all)
      await expect.poll(() => subject.state(), { timeout: 20_000, message: `${of} ${from}` }).toBe(then)
  } finally {
    for (const { subject } of all) await subject.release()
  }
})

describe.each(Object.keys(subjects) as StateChange['of'][])('a %s', of => {
  const changes = STATE_CHANGES.filter(change => change.of === of && change.asked !== DAEMON_STOPS)
  // Only two container builds run at a time, and the cases include waiting ones.
  const options = { concurrent: of !== 'container build' }
  test.for(casesOf(changes))(`a ${of} that is $title`, options, async ({ from, steps }, { expect }) => {
    const subject = await subjects[of](from, steps.at(-1)!.asked)
    try {
      expect(await subject.state()).toBe(from)
      for (const { asked, answer, then } of steps) {
        expect(await subject.ask(asked), asked).toBe(answer || 'none')
        await expect.poll(() => subject.state(), { timeout: 20_000, message: asked }).toBe(then)
      }
    } finally {
      await subject.release()
    }
  })
})

/**
 * Groups changes into tests. Forbidden requests leave the record unchanged, so they share the record of the last allowed request,
 * which is sent after them.
 */
function casesOf(changes: StateChange[]) {
  const isForbidden = ({ answer, from, then }: StateChange) => answer === 409 && then === from
  const byState = Object.values(Object.groupBy(changes, ({ from }) => from)) as StateChange[][]
  const cases = byState.flatMap(ofState => {
    const allowed = ofState.filter(change => !isForbidden(change))
    return [
      ...allowed.slice(0, -1).map(change => [change]),
      [...ofState.filter(isForbidden), ...allowed.slice(-1)],
    ]
  })
  return cases.map(steps => {
    const outcomes = steps.map(({ asked, answer, then }) => `${asked} → ${answer} ${then}`)
    return { from: steps[0]!.from, steps, title: `${steps[0]!.from}: ${outcomes.join(', ')}` }
  })
}
