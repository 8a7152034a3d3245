import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { BUILD_PHASES } from '../../../src/shared/contract/states.ts'
import { seedSmallBase } from '../../helpers/containers/small-base.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { startRegistry } from '../builder/image/small-registry.ts'
import { createProject } from './fixtures.ts'

/** Time limit for builds on a busy machine. */
const BUSY_MS = 60_000
vi.setConfig({ testTimeout: 2 * BUSY_MS })

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
  await seedSmallBase(daemon.home.images)
})

afterAll(() => daemon.close())

const DECLARED = {
  name: 'Greeter',
  template: 'basic',
  tools: [
    { name: 'greet', description: 'Greets', inputSchema: {}, handler: { type: 'template', text: 'hello' } },
  ],
}
const MODULES = {
  'package.json': '{"name":"@team/adder"}',
  'tools/add.ts': `export default { description: 'Adds', handler: ({ a, b }: { a: number; b: number }) => a + b }`,
}

test('a container build runs from pending through its phases to an image', async () => {
  const project = await createProject(daemon, { 'mcp.config.json': JSON.stringify(DECLARED) })
  const triggered = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  expect(triggered.status).toBe(201)
  expect(triggered.body).toMatchObject({
    projectId: project,
    status: 'pending',
    currentPhase: 'QUEUED',
    startTime: '',
    endTime: '',
    imageUri: '',
    errorMessage: '',
  })
  const build = await ended(triggered.body.id)
  expect(build).toMatchObject({
    status: 'succeeded',
    currentPhase: 'COMPLETED',
    errorMessage: '',
    imageUri: expect.stringMatching(/^oci:.*:greeter:[0-9a-f]{12}$/),
  })
  const index = JSON.parse(readFileSync(join(daemon.home.images, 'index.json'), 'utf8'))
  expect(index.manifests[0].digest).toBe(build.imageDigest)
  const { body } = await daemon.api('GET', `/api/lambda-builds/${build.id}/logs`)
  const phases = [...new Set(body.lines.map((line: { phase: string }) => line.phase))]
  expect(phases).toEqual(BUILD_PHASES.filter(phase => phase !== 'PUSH'))
})

test('the same source results in the same image, and a different source in a different image', async () => {
  const digests: string[] = []
  for (const text of ['hello', 'hello', 'goodbye']) {
    const [tool] = DECLARED.tools
    const changed = { ...DECLARED, tools: [{ ...tool, handler: { type: 'template', text } }] }
    digests.push((await buildOf({ 'mcp.config.json': JSON.stringify(changed) })).imageDigest)
  }
  expect(digests[0]).toBe(digests[1])
  expect(digests[2]).not.toBe(digests[0])
})

test('builds a folder of handler modules under the name of its package', async () => {
  const build = await buildOf(MODULES)
  expect(build).toMatchObject({
    status: 'succeeded',
    errorMessage: '',
    imageUri: expect.stringContaining(':adder:'),
  })
  expect((await daemon.api('GET', `/v1/build/${build.mcpId}`)).body.data).toMatchObject({
    tools: ['add'],
    project_id: build.projectId,
  })
})

test('pushes the image to a configured registry, and continues an interrupted push on the next build', async () => {
  await using registry = await startRegistry()
  await daemon.restart({ registry: { imageRepository: `${registry.host}/team` } })
  try {
    const project = await createProject(daemon, { 'mcp.config.json': JSON.stringify(DECLARED) })
    registry.failNext(/PUT .*manifests/, 500)
    const first = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
    expect(await ended(first.body.id)).toMatchObject({
      status: 'failed',
      errorMessage: expect.stringContaining('HTTP 500'),
    })
    expect(registry.manifests.size).toBe(0)
    const { body: log } = await daemon.api('GET', `/api/lambda-builds/${first.body.id}/logs?phase=push`)
    // The log shows what was done before the failure.
    expect(log.lines.filter(({ message }: { message: string }) => message.startsWith('sent'))).toHaveLength(3)
    const second = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
    const build = await ended(second.body.id)
    expect(build).toMatchObject({ status: 'succeeded', imageRepository: `${registry.host}/team/greeter` })
    expect(registry.manifests.has(build.imageUri.split(':').at(-1)!)).toBe(true)
    expect(registry.blobs.size).toBe(3)
  } finally {
    await daemon.restart()
  }
})

test('a failed build logs the position of the error', async () => {
  const build = await buildOf({ ...MODULES, 'tools/add.ts': 'export default {' })
  expect(build).toMatchObject({
    status: 'failed',
    currentPhase: 'COMPLETED',
    errorMessage: expect.stringContaining('INVALID_MCP'),
  })
  const { body } = await daemon.api('GET', `/api/lambda-builds/${build.id}/logs?phase=build`)
  expect(JSON.stringify(body.lines)).toContain('tools/add.ts:1:')
})

test('a failed container build reports the error code of its server build', async () => {
  vi.stubEnv('npm_config_registry', 'http://127.0.0.1:1/')
  vi.stubEnv('npm_config_fetch_retries', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const program = { type: 'stdio', command: 'npx', args: ['-y', 'mcp-test-no-such-package@1.0.0'] }
  const config = { name: 'unreachable', template: 'custom', program }
  const { status, errorMessage } = await buildOf({ 'mcp.config.json': JSON.stringify(config) })
  expect([status, errorMessage]).toEqual([
    'failed',
    'UPSTREAM_FAILED: The npm registry cannot be reached (ECONNREFUSED).',
  ])
})

test('rejects builds of unknown projects, projects without a source and projects with a running build', async () => {
  expect((await daemon.api('POST', '/api/lambda-builds/trigger/prj_none')).status).toBe(404)
  const { body: empty } = await daemon.api('POST', '/api/projects', { body: { name: 'empty' } })
  const refused = await daemon.api('POST', `/api/lambda-builds/trigger/${empty.id}`)
  expect([refused.status, refused.body.error.code]).toEqual([409, 'NO_SOURCE'])
  const project = await createProject(daemon, MODULES)
  const { body: running } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  const second = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  expect([second.status, second.body.error.code]).toEqual([409, 'CONFLICT'])
  await ended(running.id)
})

test('a build can be stopped only once', async () => {
  const project = await createProject(daemon, MODULES)
  const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  const stopped = await daemon.api('POST', `/api/lambda-builds/${body.id}/stop`)
  expect([stopped.status, stopped.body.status]).toEqual([200, 'stopped'])
  expect((await daemon.api('POST', `/api/lambda-builds/${body.id}/stop`)).status).toBe(409)
  expect(await ended(body.id)).toMatchObject({ status: 'stopped' })
  expect((await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)).status).toBe(201)
})

test('the log of a build can be followed to its end and read again afterwards', async () => {
  const project = await createProject(daemon, {
    'mcp.config.json': JSON.stringify({ ...DECLARED, title: 'followed' }),
  })
  const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  const path = `/api/lambda-builds/${body.id}/logs`
  const followed = await follow(path)
  expect(followed.at(-1)).toContain('succeeded')
  const lines: string[] = []
  let nextToken = ''
  do {
    const { body: page } = await daemon.api('GET', `${path}?limit=2${nextToken && `&nextToken=${nextToken}`}`)
    lines.push(...page.lines.map(({ message }: { message: string }) => message))
    nextToken = page.nextToken ?? ''
  } while (nextToken)
  expect(followed).toEqual(lines)
  expect(await follow(path)).toEqual(lines)
})

test('after a restart, pending builds run and interrupted builds fail', async () => {
  const own = await startTestDaemon()
  await seedSmallBase(own.home.images)
  try {
    const ids: string[] = []
    for (let index = 0; index < 6; index++) {
      const project = await createProject(own, { ...MODULES, 'package.json': `{"name":"adder-${index}"}` })
      ids.push((await own.api('POST', `/api/lambda-builds/trigger/${project}`)).body.id)
    }
    await own.restart()
    const builds = await Promise.all(ids.map(id => ended(id, own)))
    for (const { status, errorMessage } of builds)
      if (status !== 'succeeded')
        expect([status, errorMessage]).toEqual(['failed', expect.stringContaining('INTERRUPTED')])
    expect(builds.filter(({ status }) => status === 'succeeded').length).toBeGreaterThanOrEqual(4)
    const { body } = await own.api('GET', '/api/lambda-builds?status=pending')
    expect(body.items).toEqual([])
  } finally {
    await own.close()
  }
})

async function buildOf(files: Record<string, string>) {
  const project = await createProject(daemon, files)
  const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  return ended(body.id)
}

async function ended(id: string, of = daemon) {
  const read = async () => (await of.api('GET', `/api/lambda-builds/${id}`)).body
  await expect.poll(async () => (await read()).endTime, { timeout: BUSY_MS }).not.toBe('')
  return read()
}

async function follow(path: string): Promise<string[]> {
  const response = await fetch(`${daemon.url}${path}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${daemon.ownerKey}` },
  })
  const text = await response.text()
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json!).message)
}
