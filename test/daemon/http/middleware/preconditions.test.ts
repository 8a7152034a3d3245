import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tarGz } from '../../../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../../helpers/unique-name.ts'
import { buildServer, createKey, deploy, echoServer } from '../fixtures.ts'

/** `ETag`, `If-Match` and `If-None-Match` (RFC 9110 13). */
let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon({ warmSpares: 0 })
})

afterAll(() => daemon.close())

const ifMatch = (etag: string, more = {}) => ({ headers: { 'if-match': etag }, ...more })

async function etagOf(path: string): Promise<string> {
  const { status, headers } = await daemon.api('GET', path)
  expect([status, headers.etag], path).toEqual([200, expect.stringMatching(/^"[\w-]{22}"$/)])
  return headers.etag!
}

async function createProject(): Promise<string> {
  const { body } = await daemon.api('POST', '/api/projects', { body: { name: uniqueName('tagged') } })
  return `/api/projects/${body.id}`
}

/** Sends ten identical requests at the same time. Returns their statuses. */
async function askTenTimes(method: string, path: string, etag: string, body?: unknown): Promise<number[]> {
  const input = ifMatch(etag, body === undefined ? {} : { body })
  const answers = await Promise.all(Array.from({ length: 10 }, () => daemon.api(method, path, input)))
  return answers.map(({ status }) => status).toSorted()
}

const onlyOne = (status: number) => [status, ...Array.from({ length: 9 }, () => 412)]

describe('If-Match', () => {
  test('a change with If-Match answers with the ETag that the next change needs', async () => {
    const path = await createProject()
    const first = await etagOf(path)
    const changed = await daemon.api('PATCH', path, ifMatch(first, { body: { name: 'second' } }))
    expect([changed.status, changed.headers.etag]).toEqual([200, await etagOf(path)])
    expect(changed.headers.etag).not.toBe(first)
    const next = await daemon.api('PATCH', path, ifMatch(changed.headers.etag!, { body: { name: 'third' } }))
    expect(next.status).toBe(200)
  })

  test('a change with If-Match is refused with 412 if the record has changed', async () => {
    const path = await createProject()
    const etag = await etagOf(path)
    await daemon.api('PATCH', path, { body: { name: 'second' } })
    const refused = await daemon.api('PATCH', path, ifMatch(etag, { body: { name: 'third' } }))
    expect(refused.status).toBe(412)
    expect(refused.body.error).toEqual({
      code: 'PRECONDITION_FAILED',
      message: 'The record changed: its ETag is not in If-Match.',
      details: 'Get the record again and repeat the request with its ETag.',
    })
    expect((await daemon.api('GET', path)).body.name).toBe('second')
  })

  test('If-Match accepts a list of tags and *, but no weak or malformed tag', async () => {
    const path = await createProject()
    const change = async (header: (etag: string) => string) =>
      (await daemon.api('PATCH', path, ifMatch(header(await etagOf(path)), { body: { name: 'x' } }))).status
    expect(await change(etag => `"other", ${etag}`)).toBe(200)
    expect(await change(() => '*')).toBe(200)
    expect(await change(etag => `W/${etag}`)).toBe(412)
    expect(await change(etag => etag.replaceAll('"', ''))).toBe(412)
    expect(await change(() => '')).toBe(412)
  })

  test('a change with If-Match is refused with 404 if its record does not exist', async () => {
    for (const path of ['/api/projects/none', '/api/keys/none', '/api/chats/none', '/v1/build/none'])
      expect(
        (
          await daemon.api(
            path.includes('projects') ? 'PATCH' : 'DELETE',
            path,
            ifMatch('*', { body: { name: 'x' } }),
          )
        ).status,
        path,
      ).toBe(404)
  })

  test('a change without If-Match is always made', async () => {
    const path = await createProject()
    for (const name of ['a', 'b'])
      expect((await daemon.api('PATCH', path, { body: { name } })).status).toBe(200)
  })
})

describe('concurrent changes', () => {
  test('only one of ten PATCHes to a project with the same tag succeeds', async () => {
    const path = await createProject()
    expect(await askTenTimes('PATCH', path, await etagOf(path), { name: 'same' })).toEqual(onlyOne(200))
  })

  test('only one of ten uploads of a source with the same tag succeeds', async () => {
    const path = await createProject()
    const etag = await etagOf(path)
    const archive = tarGz([{ name: 'a.txt', content: 'a' }])
    const headers = { 'if-match': etag, 'content-type': 'application/gzip' }
    const upload = () => daemon.api('PUT', `${path}/source`, { body: archive, headers })
    const answers = await Promise.all(Array.from({ length: 10 }, upload))
    expect(answers.map(({ status }) => status).toSorted()).toEqual(onlyOne(200))
    const made = answers.find(({ status }) => status === 200)!
    expect(made.headers.etag).toBe(await etagOf(path))
  })

  test('only one of ten PATCHes with the same tag succeeds, even if each of them first has to read a source', async () => {
    const source = await createProject()
    const { body } = await daemon.api('PUT', `${source}/source`, {
      body: tarGz([{ name: 'b.txt', content: 'b' }]),
      headers: { 'content-type': 'application/gzip' },
    })
    const path = await createProject()
    const change = { storageLocation: body.storageLocation }
    expect(await askTenTimes('PATCH', path, await etagOf(path), change)).toEqual(onlyOne(200))
  })

  test('only one of ten PUTs of a model key with the same tag succeeds, even if the hint of the key stays the same', async () => {
    const path = '/api/model-keys/openai'
    expect(await askTenTimes('PUT', path, await etagOf(path), { apiKey: 'short' })).toEqual(onlyOne(200))
    expect(await askTenTimes('DELETE', path, await etagOf(path))).toEqual(onlyOne(204))
  })

  test('only one of ten simultaneous stops or starts with the same ETag succeeds', async () => {
    const { deployment_id: id } = await deploy(daemon, await buildServer(daemon), 'staging')
    const status = `/v1/deploy/${id}/status`
    expect(await askTenTimes('POST', `/v1/deploy/${id}/stop`, await etagOf(status))).toEqual(onlyOne(200))
    expect(await askTenTimes('POST', `/v1/deploy/${id}/start`, await etagOf(status))).toEqual(onlyOne(200))
  })
})

describe('the ETag', () => {
  test('the ETag of a deployment ignores its instances and requests', async () => {
    const { deployment_id: id, url } = await deploy(daemon, await buildServer(daemon), 'staging')
    const path = `/v1/deploy/${id}/status`
    const etag = await etagOf(path)
    await fetch(url, { method: 'POST', body: '{}' })
    expect(await etagOf(path)).toBe(etag)
    const unchanged = await daemon.api('GET', path, { headers: { 'if-none-match': etag } })
    expect([unchanged.status, unchanged.text, unchanged.headers.etag]).toEqual([304, '', etag])
    const restarted = await daemon.api('POST', `/v1/deploy/${id}/restart`, ifMatch(etag))
    expect([restarted.status, restarted.headers.etag]).toEqual([200, etag])
    const stopped = await daemon.api('POST', `/v1/deploy/${id}/stop`, ifMatch(etag))
    expect([stopped.status, stopped.headers.etag]).toEqual([200, await etagOf(path)])
    expect((await daemon.api('DELETE', `/v1/deploy/${id}`, ifMatch(etag))).status).toBe(412)
    expect((await daemon.api('DELETE', `/v1/deploy/${id}`, ifMatch(stopped.headers.etag!))).status).toBe(204)
  })

  test('the ETag of a deployment ignores the size of its store', async () => {
    const { deployment_id: id } = await deploy(
      daemon,
      await buildServer(daemon, echoServer('stored')),
      'staging',
    )
    const path = `/v1/deploy/${id}/status`
    const empty = await etagOf(path)
    const change = { body: { set: [{ key: 'a', value: 1 }] } }
    expect((await daemon.api('PATCH', '/v1/servers/stored/store/staging', change)).status).toBe(200)
    const { body, headers } = await daemon.api('GET', path)
    expect([body.data.store.entries, headers.etag]).toEqual([1, empty])
    expect((await daemon.api('POST', `/v1/deploy/${id}/stop`, ifMatch(headers.etag!))).status).toBe(200)
  })

  test('a rollback answers with the ETag of the new deployment', async () => {
    const build = await buildServer(daemon)
    await deploy(daemon, build, 'staging')
    const { deployment_id: id } = await deploy(daemon, build, 'staging')
    const tag = await etagOf(`/v1/deploy/${id}/status`)
    const { status, body, headers } = await daemon.api('POST', `/v1/deploy/${id}/rollback`, ifMatch(tag))
    expect(status).toBe(201)
    expect(headers.etag).toBe(await etagOf(`/v1/deploy/${body.data.deployment_id}/status`))
  })

  test('the ETag of a key stays the same when the key is used', async () => {
    const { key, apiKeyId } = await createKey(daemon, { scopes: ['READ'] })
    const path = `/api/keys/${apiKeyId}`
    const etag = await etagOf(path)
    await daemon.api('GET', '/v1/build', { key })
    const { body } = await daemon.api('GET', path)
    expect(body).toMatchObject({ apiKeyId, lastUsedAt: expect.any(String) })
    expect(JSON.stringify(body)).not.toContain(key)
    expect((await daemon.api('DELETE', path, ifMatch(etag))).status).toBe(204)
    expect((await daemon.api('GET', path)).status).toBe(404)
  })

  test('PUT with If-None-Match: * creates a mapping and never replaces one', async () => {
    const { deployment_id: deploymentId } = await deploy(daemon, await buildServer(daemon), 'staging')
    const path = '/api/lambda-mapping/once'
    const put = (headers: Record<string, string>) =>
      daemon.api('PUT', path, { body: { deploymentId }, headers })
    expect((await put({ 'if-match': '*' })).status).toBe(412)
    const made = await put({ 'if-none-match': '*' })
    expect([made.status, made.headers.etag]).toEqual([200, await etagOf(path)])
    expect((await put({ 'if-none-match': '*' })).status).toBe(412)
    expect((await put({ 'if-match': made.headers.etag! })).status).toBe(200)
    expect((await daemon.api('DELETE', path, ifMatch(made.headers.etag!))).status).toBe(412)
    expect((await daemon.api('DELETE', path, ifMatch(await etagOf(path)))).status).toBe(204)
  })
})
