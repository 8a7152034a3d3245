import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { StorageSettings } from '../../../src/daemon/builder/storage/open-storage.ts'
import { S3Storage } from '../../../src/daemon/builder/storage/s3-storage.ts'
import { tarGz } from '../../helpers/archives.ts'
import { seedSmallBase } from '../../helpers/containers/small-base.ts'
import { callTool, startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { type S3Server, startS3 } from '../../helpers/services/s3-server.ts'
import { uniqueName } from '../../helpers/unique-name.ts'
import { buildServer, deploy } from './fixtures.ts'

/** Time limit for builds on a busy machine. */
const BUSY_MS = 60_000
vi.setConfig({ testTimeout: 2 * BUSY_MS })

let server: S3Server
let daemon: TestDaemon
let storage: StorageSettings

beforeAll(async () => {
  server = await startS3()
  storage = { type: 's3', ...server.settings }
  daemon = await startTestDaemon({ storage })
  await seedSmallBase(daemon.home.images)
})

afterAll(async () => {
  await daemon.close()
  await server[Symbol.asyncDispose]()
})

const gzip = { 'content-type': 'application/gzip' }

test('stores a source in the bucket and returns its location', async () => {
  const id = await createProject()
  const { bytes, digest } = archive('kept')
  const { body } = await upload(id, bytes)
  expect(body).toMatchObject({
    storageLocation: `s3://bucket/mcp/sources/${digest}.tar.gz`,
    sourceDigest: digest,
  })
  expect(server.requests).toContain(`PUT /bucket/mcp/sources/${digest}.tar.gz`)
  const { body: build } = await daemon.api('POST', `/api/lambda-builds/trigger/${id}`)
  expect(build.storageSourceLocation).toBe(body.storageLocation)
})

test('reads a locally missing source from the bucket', async () => {
  const id = await createProject()
  await upload(id, archive('fetched').bytes)
  rmSync(join(daemon.home.sources, `${archive('fetched').digest}.tar.gz`))
  expect(await containerBuild(id)).toMatchObject({ status: 'succeeded' })
})

test('rejects a source that was changed in the bucket', async () => {
  const id = await createProject()
  const { bytes, digest } = archive('changed')
  await upload(id, bytes)
  rmSync(join(daemon.home.sources, `${digest}.tar.gz`))
  server.fail({ pattern: new RegExp(`^GET .*${digest}`), body: archive('other').bytes })
  const build = await containerBuild(id)
  expect(build).toMatchObject({
    status: 'failed',
    errorMessage: expect.stringContaining('does not match its digest'),
  })
  expect(existsSync(join(daemon.home.sources, `${digest}.tar.gz`))).toBe(false)
})

test('an upload that the bucket rejects changes nothing', async () => {
  const id = await createProject()
  const { bytes, digest } = archive('refused')
  for (const [status, expected] of [
    [403, 'denied access'],
    [404, 'HTTP 404'],
  ] as const) {
    server.fail({ pattern: new RegExp(`^PUT .*${digest}`), status })
    const refused = await upload(id, bytes)
    expect([refused.status, refused.body.error.code]).toEqual([502, 'UPSTREAM_FAILED'])
    expect(refused.body.error.message).toContain(expected)
  }
  expect((await daemon.api('GET', `/api/projects/${id}`)).body).toMatchObject({
    sourceId: null,
    storageLocation: null,
  })
  expect((await upload(id, bytes)).status).toBe(200)
})

test('servers start without the bucket, or with the bucket but without local files', async () => {
  const mcpId = await buildServer(daemon, HELLO)
  const { url } = await deploy(daemon, mcpId, 'production')
  const lost = await startS3()
  await lost.stop()
  await daemon.restart({ storage: { type: 's3', ...lost.settings } })
  expect(await callTool(url, 'hello')).toMatchObject({ content: [{ text: 'hi' }] })
  for (const name of readdirSync(daemon.home.artifacts)) rmSync(join(daemon.home.artifacts, name))
  await daemon.restart({ storage })
  expect(await callTool(url, 'hello')).toMatchObject({ content: [{ text: 'hi' }] })
  await lost[Symbol.asyncDispose]()
})

test('a build fails with the reason when the bucket rejects its artifact', async () => {
  server.fail({ pattern: /^PUT .*artifacts/, status: 403 })
  const { body } = await daemon.api('POST', '/v1/build', { body: { ...HELLO, name: 'not-taken' } })
  expect(body.data).toMatchObject({ status: 'failed', error: { code: 'UPSTREAM_FAILED' } })
})

test('removes an unused object seven days after the bucket refused its removal', async () => {
  const id = await createProject()
  const { bytes, digest } = archive('removed')
  await upload(id, bytes)
  server.fail({ pattern: /^DELETE /, status: 403 })
  await daemon.api('PATCH', `/api/projects/${id}`, { body: { status: 'deleted' } })
  expect(existsSync(join(daemon.home.sources, `${digest}.tar.gz`))).toBe(true)
  await daemon.restart()
  await keepForSevenDays(`sources/${digest}`)
  await daemon.restart()
  await expect.poll(() => existsSync(join(daemon.home.sources, `${digest}.tar.gz`))).toBe(false)
  const bucket = new S3Storage(server.settings)
  expect(await bucket.read(`sources/${digest}.tar.gz`, digest)).toBeUndefined()
})

test('after seven days, removes objects that have no record', async () => {
  const { bytes, digest } = archive('crashed')
  const file = join(daemon.home.sources, `${digest}.tar.gz`)
  writeFileSync(file, bytes)
  const bucket = new S3Storage(server.settings)
  await bucket.put(`sources/${digest}.tar.gz`, file, { digest, sizeBytes: bytes.length })
  await daemon.restart()
  await keepForSevenDays(`sources/${digest}`)
  expect(existsSync(file)).toBe(true)
  await daemon.restart()
  await expect.poll(() => existsSync(file)).toBe(false)
  expect(await bucket.read(`sources/${digest}.tar.gz`, digest)).toBeUndefined()
})

test('a project accepts an archive in the bucket if its digest matches', async () => {
  const id = await createProject()
  const { bytes, digest } = archive('named')
  const file = join(daemon.home.home, 'named.tar.gz')
  writeFileSync(file, bytes)
  await new S3Storage(server.settings).put('incoming/app.tar.gz', file, { digest, sizeBytes: bytes.length })
  const uri = 's3://bucket/mcp/incoming/app.tar.gz'
  const set = (storageLocation: string) =>
    daemon.api('PATCH', `/api/projects/${id}`, { body: { storageLocation } })
  const refusals: [string, string][] = [
    [uri, 'has no digest'],
    [`${uri}#sha256=${'0'.repeat(64)}`, 'does not match its digest'],
    [`s3://bucket/mcp/incoming/none.zip#sha256=${digest}`, 'There is no object at'],
  ]
  for (const [location, message] of refusals) {
    const refused = await set(location)
    expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(refused.body.error.message).toContain(message)
  }
  const answer = await set(`${uri}#sha256=${digest}`)
  expect(answer.body).toMatchObject({ storageLocation: `${uri}#sha256=${digest}`, sourceDigest: digest })
  expect(await containerBuild(id)).toMatchObject({ status: 'succeeded' })
  const made = await daemon.api('POST', '/api/projects', {
    body: { name: 'made', storageLocation: `${uri}#sha256=${digest}` },
  })
  expect(made.body.sourceDigest).toBe(digest)
})

test('stores a foreign location unchanged and rejects its container build', async () => {
  const id = await createProject()
  const body = { storageLocation: 's3://somebody-else/app.tar.gz' }
  expect((await daemon.api('PATCH', `/api/projects/${id}`, { body })).body).toMatchObject({
    ...body,
    sourceId: null,
  })
  const answer = await daemon.api('POST', `/api/lambda-builds/trigger/${id}`)
  expect([answer.status, answer.body.error]).toEqual([
    409,
    expect.objectContaining({
      code: 'NO_SOURCE',
      message: `The source s3://somebody-else/app.tar.gz of project ${id} cannot be read here.`,
      details: expect.stringContaining(`mcp projects upload ${id}`),
    }),
  ])
})

test('rejects a source location outside the source folder of the daemon', async () => {
  await daemon.restart({ storage: undefined })
  try {
    const id = await createProject()
    const { bytes, digest } = archive('own')
    const { body } = await upload(id, bytes)
    const secret = createHash('sha256').update('x').digest('hex')
    symlinkSync('/etc/hostname', join(daemon.home.sources, `${secret}.tar.gz`))
    const locations = [
      `file:///etc/passwd#sha256=${digest}`,
      `${pathToFileURL(daemon.home.secretKey)}#sha256=${digest}`,
      `${pathToFileURL(daemon.home.sources)}/../secret.key#sha256=${digest}`,
      pathToFileURL(join(daemon.home.sources, `${secret}.tar.gz`)).href,
      'file://elsewhere/share/a.zip',
    ]
    for (const storageLocation of locations) {
      const refused = await daemon.api('PATCH', `/api/projects/${id}`, { body: { storageLocation } })
      expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining('outside')])
    }
    rmSync(join(daemon.home.sources, `${secret}.tar.gz`))
    const second = await createProject()
    const set = await daemon.api('PATCH', `/api/projects/${second}`, {
      body: { storageLocation: body.storageLocation },
    })
    expect(set.body).toMatchObject({ storageLocation: body.storageLocation, sourceDigest: digest })
  } finally {
    await daemon.restart({ storage })
  }
})

const HELLO = {
  name: 'stored',
  template: 'basic',
  tools: [
    { name: 'hello', description: 'Greets', inputSchema: {}, handler: { type: 'template', text: 'hi' } },
  ],
}

/** Pretends that the file has been unknown for seven days. */
async function keepForSevenDays(file: string): Promise<void> {
  const path = daemon.home.unknownFiles
  const read = () => JSON.parse(existsSync(path) ? readFileSync(path, 'utf8') : '{}')
  await expect.poll(() => read().files?.[file]).toBeDefined()
  const record = read()
  record.files[file].keptMs = 7 * 24 * 3600_000
  writeFileSync(path, JSON.stringify(record))
}

function archive(title: string) {
  const bytes = tarGz([{ name: 'mcp.config.json', content: JSON.stringify({ ...HELLO, title }) }])
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') }
}

async function createProject(): Promise<string> {
  return (await daemon.api('POST', '/api/projects', { body: { name: uniqueName('stored') } })).body.id
}

function upload(id: string, body: Uint8Array) {
  return daemon.api('PUT', `/api/projects/${id}/source`, { body, headers: gzip })
}

async function containerBuild(project: string) {
  const { body } = await daemon.api('POST', `/api/lambda-builds/trigger/${project}`)
  const read = async () => (await daemon.api('GET', `/api/lambda-builds/${body.id}`)).body
  await expect.poll(async () => (await read()).endTime, { timeout: BUSY_MS }).not.toBe('')
  return read()
}
