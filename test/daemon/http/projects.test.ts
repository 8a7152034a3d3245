import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SOURCE_LIMIT_BYTES } from '../../../src/shared/contract/projects/source-limit.ts'
import { tarGz } from '../../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../helpers/unique-name.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

const create = async (body: Record<string, unknown> = { name: uniqueName('weather') }) =>
  (await daemon.api('POST', '/api/projects', { body })).body
const upload = (id: string, body: unknown, query = '') =>
  daemon.api('PUT', `/api/projects/${id}/source${query}`, {
    body,
    headers: { 'content-type': 'application/gzip' },
  })
const archive = (text = 'one') => tarGz([{ name: 'tools/add.ts', content: `export default '${text}'` }])

describe('a project', () => {
  test('creates a project with a name and shows it without an envelope', async () => {
    const answer = await daemon.api('POST', '/api/projects', {
      body: { name: 'made', description: 'A server', templateId: '5e2c6f0e-7a86-4b4d-9a4c-0d6c2f1c9a10' },
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^prj_/),
      name: 'made',
      description: 'A server',
      repositoryUrl: null,
      framework: null,
      status: 'active',
      storageLocation: null,
      templateId: '5e2c6f0e-7a86-4b4d-9a4c-0d6c2f1c9a10',
      sourceId: null,
    })
    expect((await daemon.api('GET', `/api/projects/${answer.body.id}`)).body).toEqual(answer.body)
  })

  test('creating a project with a name in use returns 409, but an update may use the name, as in the contract', async () => {
    const { id } = await create({ name: 'taken' })
    await daemon.api('PATCH', `/api/projects/${id}`, { body: { status: 'archived' } })
    expect(await create({ name: 'taken' })).toMatchObject({
      error: { code: 'CONFLICT', message: `Project "taken" already exists (${id}, archived).` },
    })
    const other = await create()
    const renamed = await daemon.api('PATCH', `/api/projects/${other.id}`, { body: { name: 'taken' } })
    expect(renamed.status).toBe(200)
    for (const one of [id, other.id])
      await daemon.api('PATCH', `/api/projects/${one}`, { body: { status: 'deleted' } })
    expect(await create({ name: 'taken' })).toMatchObject({ status: 'active' })
  })

  test('changes every field of the contract and returns the whole project', async () => {
    const { id } = await create()
    const change = {
      name: 'renamed',
      description: 'Now with one',
      repositoryUrl: 'https://example.com/weather.git',
      framework: 'mcp-hosting',
      status: 'archived',
      storageLocation: 's3://bucket/weather.tar.gz',
      templateId: '5e2c6f0e-7a86-4b4d-9a4c-0d6c2f1c9a10',
    }
    const answer = await daemon.api('PATCH', `/api/projects/${id}`, { body: change })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ id, ...change })
  })

  test.each([
    ['no field', {}, 'at least one'],
    ['an unknown field', { nmae: 'x' }, 'did you mean "name"?'],
    ['a template id that is not a UUID', { templateId: 'basic' }, 'templateId'],
    ['an unknown status', { status: 'gone' }, 'status'],
  ])('refuses a change with %s', async (_, body, expected) => {
    const { id } = await create()
    const answer = await daemon.api('PATCH', `/api/projects/${id}`, { body })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBe('INVALID_REQUEST')
    expect(answer.body.error.details).toContain(expected)
  })

  test('a project can be archived, activated again and finally deleted', async () => {
    const { id } = await create({ name: 'moving' })
    const move = (status: string) => daemon.api('PATCH', `/api/projects/${id}`, { body: { status } })
    for (const status of ['archived', 'active', 'active', 'archived', 'deleted'])
      expect((await move(status)).body.status).toBe(status)
    const refused = await move('active')
    expect(refused.status).toBe(409)
    expect(refused.body.error.code).toBe('CONFLICT')
    expect((await daemon.api('GET', `/api/projects/${id}`)).body.status).toBe('deleted')
    expect((await daemon.api('GET', '/api/projects?name=moving')).body.items).toEqual([])
    expect((await daemon.api('GET', '/api/projects?name=moving&status=deleted')).body.items).toHaveLength(1)
  })

  test('lists projects in pages, newest first', async () => {
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      const { id } = await create()
      await daemon.api('PATCH', `/api/projects/${id}`, { body: { name: 'listed' } })
      ids.unshift(id)
    }
    const first = (await daemon.api('GET', '/api/projects?name=listed&limit=2')).body
    const second = (await daemon.api('GET', `/api/projects?name=listed&nextToken=${first.nextToken}`)).body
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
    expect(second.nextToken).toBeNull()
  })

  test('changing a project requires BUILD_AND_DEPLOY, and reading it requires READ', async () => {
    const { id } = await create()
    const body = { name: 'reader', scopes: ['READ'] }
    const { key } = (await daemon.api('POST', '/api/keys', { body })).body
    expect((await daemon.api('GET', `/api/projects/${id}`, { key })).status).toBe(200)
    const refused = await daemon.api('PATCH', `/api/projects/${id}`, { key, body: { name: 'x' } })
    expect(refused.status).toBe(403)
    expect(refused.body.error.code).toBe('INSUFFICIENT_SCOPE')
  })

  test('an unknown project returns 404', async () => {
    for (const [method, path] of [
      ['GET', '/api/projects/prj_none'],
      ['PATCH', '/api/projects/prj_none'],
      ['PUT', '/api/projects/prj_none/source'],
    ] as const) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined
      const answer = await daemon.api(method, path, { body })
      expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND'])
    }
  })
})

describe('the source of a project', () => {
  test('stores a source unchanged under its digest', async () => {
    const { id } = await create()
    const bytes = await archive('kept')
    const answer = await upload(id, bytes)
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      id,
      sourceId: expect.stringMatching(/^src_/),
      sourceDigest: digest,
      sourceBytes: bytes.length,
      sourceUploadedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      storageLocation: expect.stringMatching(new RegExp(`^file:///.*${digest}\\.tar\\.gz$`)),
    })
    expect(readFileSync(fileURLToPath(answer.body.storageLocation))).toEqual(bytes)
  })

  test('an archive uploaded again keeps its id and needs no body', async () => {
    const { id } = await create()
    const first = (await upload(id, await archive('again'))).body
    await upload(id, await archive('other'))
    expect((await upload(id, await archive('again'))).body.sourceId).toBe(first.sourceId)
    await upload(id, await archive('other'))
    const named = await upload(id, undefined, `?digest=${first.sourceDigest}`)
    expect(named.body).toMatchObject({ sourceId: first.sourceId, sourceDigest: first.sourceDigest })
    const unknown = await upload(id, undefined, `?digest=${'0'.repeat(64)}`)
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND'])
  })

  test('setting another storageLocation removes the source from the project', async () => {
    const { id } = await create()
    await upload(id, await archive())
    const body = { storageLocation: 's3://elsewhere/a.zip' }
    expect((await daemon.api('PATCH', `/api/projects/${id}`, { body })).body.sourceId).toBeNull()
  })

  test('rejects a source for an archived or deleted project', async () => {
    const { id } = await create()
    for (const status of ['archived', 'deleted']) {
      await daemon.api('PATCH', `/api/projects/${id}`, { body: { status } })
      const answer = await upload(id, await archive())
      expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT'])
    }
  })

  test('deleting a project removes its source from the disk', async () => {
    const { id } = await create()
    const { storageLocation } = (await upload(id, await archive('gone'))).body
    await daemon.api('PATCH', `/api/projects/${id}`, { body: { status: 'deleted' } })
    expect(existsSync(fileURLToPath(storageLocation))).toBe(false)
  })

  test('removes a source after five newer ones', async () => {
    const { id } = await create()
    const { storageLocation } = (await upload(id, await archive('oldest'))).body
    for (let i = 0; i < 5; i++) await upload(id, await archive(`newer ${i}`))
    expect(existsSync(fileURLToPath(storageLocation))).toBe(false)
  })

  test.each([
    ['anything but an archive', Buffer.from('tools/add.ts'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an empty body', undefined, 400, 'INVALID_REQUEST'],
    ['a truncated archive', 'truncated', 400, 'INVALID_REQUEST'],
  ])('a source cannot be %s', async (_, body, status, code) => {
    const { id } = await create()
    const answer = await upload(id, body === 'truncated' ? (await archive()).subarray(0, 60) : body)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(readdirSync(daemon.home.sources).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  test('rejects a source whose digest differs from the announced one', async () => {
    const { id } = await create()
    const answer = await upload(id, await archive(), `?digest=${'a'.repeat(64)}`)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })

  test('removes a partial upload when the client disconnects', async () => {
    const { id } = await create()
    const sent = startUpload(id)
    sent.on('error', () => {}) // expected
    sent.write(Buffer.concat([await archive(), Buffer.alloc(500_000, 7)]))
    const temporary = () => readdirSync(daemon.home.sources).filter(name => name.endsWith('.tmp'))
    await expect.poll(temporary).toHaveLength(1)
    sent.destroy()
    await expect.poll(temporary).toEqual([])
    expect(daemon.errors).toEqual([])
    expect((await daemon.api('GET', `/api/projects/${id}`)).body.sourceId).toBeNull()
  })

  test('rejects a source that is too large while it streams', async () => {
    const { id } = await create()
    const status = await streamTooMuch(id)
    expect(status).toBe(413)
    expect(readdirSync(daemon.home.sources).filter(name => name.endsWith('.tmp'))).toEqual([])
  })
})

/** Starts an upload without Content-Length. */
function startUpload(id: string): ClientRequest {
  const url = new URL(`/api/projects/${id}/source`, daemon.url)
  const headers = { authorization: `Bearer ${daemon.ownerKey}`, 'content-type': 'application/gzip' }
  return request(url, { method: 'PUT', headers, agent: false })
}

/** Sends more than the limit without ending the upload. The daemon answers, and closes the connection if the upload continues. */
function streamTooMuch(id: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const chunk = Buffer.alloc(1024 * 1024, 7)
    let left = SOURCE_LIMIT_BYTES / chunk.length + 8
    let answered = false
    const sent = startUpload(id)
    sent.on('response', response => {
      answered = true
      response.resume()
      resolve(response.statusCode!)
      sent.destroy()
    })
    sent.on('error', error => !answered && reject(error))
    const write = () => {
      if (answered || left-- === 0) return
      if (sent.write(chunk)) setImmediate(write)
      else sent.once('drain', write)
    }
    write()
  })
}
