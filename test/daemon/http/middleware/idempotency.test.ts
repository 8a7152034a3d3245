import { readFileSync, rmSync } from 'node:fs'
import BetterSqlite3 from 'better-sqlite3'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ApiInput, startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { buildServer, createKey, deploy, POST_BODIES } from '../fixtures.ts'

/** `Idempotency-Key` on POST requests. */
let daemon: TestDaemon
let now = new Date()

beforeAll(async () => {
  daemon = await startTestDaemon({ clock: () => now })
})

afterAll(() => daemon.close())

const post = (path: string, idempotencyKey: string, input: ApiInput = {}) =>
  daemon.api('POST', path, { ...input, headers: { ...input.headers, 'idempotency-key': idempotencyKey } })

const createProject = (idempotencyKey: string, name: string, input: ApiInput = {}) =>
  post('/api/projects', idempotencyKey, { body: { name }, ...input })

/** Error for a request that is run a second time instead of replayed. */
const ALREADY_EXISTS = expect.stringContaining('already exists')

async function countProjects(name: string): Promise<number> {
  return (await daemon.api('GET', `/api/projects?name=${name}`)).body.items.length
}

test('a repeated request gets the same answer without a second effect', async () => {
  const first = await createProject('replay', 'replayed')
  const second = await createProject('replay', 'replayed')
  expect([first.status, first.headers['idempotent-replayed']]).toEqual([201, undefined])
  expect([second.status, second.headers['idempotent-replayed']]).toEqual([201, 'true'])
  expect(second.text).toBe(first.text)
  expect(second.headers['content-type']).toBe(first.headers['content-type'])
  expect(await countProjects('replayed')).toBe(1)
})

test('a replay repeats Location, Preference-Applied and the request id in header and body', async () => {
  const body = { name: 'located', template: 'basic', tools: [] }
  const send = () => post('/v1/build', 'located', { body, headers: { prefer: 'respond-async' } })
  const [first, second] = [await send(), await send()]
  expect(first.status).toBe(202)
  expect(second.text).toBe(first.text)
  for (const name of ['location', 'preference-applied', 'x-request-id'])
    expect([name, second.headers[name]]).toEqual([name, first.headers[name]])
  expect(second.headers['x-request-id']).toBe(second.body.meta.request_id)
  expect(second.headers.location).toBe(`/v1/build/${first.body.data.mcp_id}`)
})

test('a replay counts towards the rate limit', async () => {
  const first = await createProject('counted', 'counted')
  const second = await createProject('counted', 'counted')
  const left = (answer: typeof first) => Number(answer.headers['x-ratelimit-remaining'])
  expect(left(second)).toBe(left(first) - 1)
})

test('an error from the operation is replayed', async () => {
  const send = () => post('/v1/deploy/dep_none/stop', 'error')
  const [first, second] = [await send(), await send()]
  expect([first.status, second.status]).toEqual([404, 404])
  expect(second.headers['idempotent-replayed']).toBe('true')
  expect(second.text).toBe(first.text)
})

test('another path, content type or body with the same key is refused with 422', async () => {
  await createProject('mismatch', 'mismatch')
  const type = { 'content-type': 'application/json; charset=utf-8' }
  const answers = [
    await createProject('mismatch', 'other'),
    await createProject('mismatch', 'mismatch', { headers: type }),
    await post('/v1/deploy/dep_none/stop', 'mismatch'),
  ]
  for (const { status, body } of answers)
    expect([status, body.error.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  expect(await countProjects('other')).toBe(0)
})

test('one of ten concurrent requests creates the record, and the others get 409 or the same answer', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => createProject('ten', 'ten')))
  expect(await countProjects('ten')).toBe(1)
  const created = new Set(answers.filter(({ status }) => status === 201).map(({ text }) => text))
  expect(created.size).toBe(1)
  for (const { status } of answers) expect([201, 409]).toContain(status)
})

test('a retry while the first request runs is refused with 409 and Retry-After', async () => {
  const mcpId = await buildServer(daemon)
  const body = { mcp_id: mcpId, environment: 'development' }
  const answers = await Promise.all([
    post('/v1/deploy', 'running', { body }),
    post('/v1/deploy', 'running', { body }),
  ])
  const [done, refused] = answers.toSorted((a, b) => a.status - b.status)
  expect([done!.status, refused!.status, refused!.body.error.code]).toEqual([201, 409, 'CONFLICT'])
  expect(refused!.headers['retry-after']).toBe('1')
  const retried = await post('/v1/deploy', 'running', { body })
  expect(retried.text).toBe(done!.text)
})

test('two API keys can use the same idempotency key', async () => {
  const other = await createKey(daemon, { scopes: ['BUILD_AND_DEPLOY'] })
  const [mine, theirs] = [
    await createProject('shared', 'mine'),
    await createProject('shared', 'theirs', { key: other.key }),
  ]
  expect([mine.status, theirs.status]).toEqual([201, 201])
  expect(theirs.body.id).not.toBe(mine.body.id)
  expect(theirs.headers['idempotent-replayed']).toBeUndefined()
})

test('a request rejected by authentication, scopes or validation reserves no idempotency key', async () => {
  const reader = await createKey(daemon, { scopes: ['READ'] })
  expect((await createProject('fresh', 'fresh', { key: 'wrong' })).status).toBe(401)
  expect((await createProject('fresh', 'fresh', { key: reader.key })).status).toBe(403)
  expect((await post('/api/projects', 'fresh', { body: { nam: 'fresh' } })).status).toBe(400)
  expect((await createProject('fresh', 'fresh')).status).toBe(201)
})

test('an idempotency key must be 1 to 255 visible ASCII characters', async () => {
  for (const bad of ['', ' ', 'a b', 'ä', 'x'.repeat(256)])
    expect([bad, (await createProject(bad, 'invalid')).status]).toEqual([bad, 400])
  expect((await createProject('~'.repeat(255), 'longest')).status).toBe(201)
})

test('a retry of a conditional change gets the first answer, and 412 is not kept', async () => {
  const { deployment_id } = await deploy(daemon, await buildServer(daemon))
  const { headers } = await daemon.api('GET', `/v1/deploy/${deployment_id}/status`)
  const stop = (ifMatch: string) =>
    post(`/v1/deploy/${deployment_id}/stop`, 'conditional', { headers: { 'if-match': ifMatch } })
  expect((await stop('"other"')).status).toBe(412)
  const first = await stop(headers.etag!)
  const second = await stop(headers.etag!)
  expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([200, 200, 'true'])
  expect(second.headers.etag).toBe(first.headers.etag)
})

test('an event stream with an idempotency key is refused with 400', async () => {
  const mcpId = await buildServer(daemon)
  const { deployment_id } = await deploy(daemon, mcpId)
  const body = { deployment_id, message: 'hello', ai_model: 'embedded' }
  const refused = await post('/v1/test', 'stream', { body, headers: { accept: 'text/event-stream' } })
  expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_REQUEST'])
})

test('answers are replayed after a restart, and secrets in them are encrypted at rest', async () => {
  const send = () => post('/api/keys', 'secret', { body: { name: 'kept', scopes: ['READ'] } })
  const first = await send()
  expect(first.body.key).toMatch(/^mcp_sk_/)
  for (const suffix of ['', '-wal'])
    expect(readFileSync(daemon.home.database + suffix).includes(first.body.key)).toBe(false)
  await daemon.restart()
  const second = await send()
  expect([second.headers['idempotent-replayed'], second.text]).toEqual(['true', first.text])
  expect(readFileSync(daemon.home.database).includes(first.body.key)).toBe(false)
})

test('a client that disconnected gets the answer to its request when it retries', async () => {
  const mcpId = await buildServer(daemon)
  const body = { mcp_id: mcpId, environment: 'development' }
  const abort = new AbortController()
  const lost = fetch(`${daemon.url}/v1/deploy`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${daemon.ownerKey}`,
      'content-type': 'application/json',
      'idempotency-key': 'lost',
    },
    body: JSON.stringify(body),
    signal: abort.signal,
  })
  await vi.waitUntil(() =>
    inDatabase(database => database.prepare("SELECT 1 FROM idempotency_keys WHERE key = 'lost'").get()),
  )
  abort.abort()
  await expect(lost).rejects.toThrow('aborted')
  const retry = () => post('/v1/deploy', 'lost', { body })
  const answer = await vi.waitUntil(async () => {
    const retried = await retry()
    return retried.headers['retry-after'] === undefined && retried
  })
  expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([201, 'true'])
})

test('a new secret key removes all stored answers', async () => {
  await createProject('sealed', 'sealed')
  rmSync(daemon.home.secretKey)
  await daemon.restart({ newSecretKey: true })
  const again = await createProject('sealed', 'sealed')
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([ALREADY_EXISTS, undefined])
})

test('a request that a crash interrupted is refused with 409 and never runs twice', async () => {
  await createProject('crash', 'crash')
  inDatabase(database =>
    database.prepare("UPDATE idempotency_keys SET answer = NULL WHERE key = 'crash'").run(),
  )
  await daemon.restart()
  const retried = await createProject('crash', 'crash')
  expect([retried.status, retried.body.error.message]).toEqual([
    409,
    expect.stringContaining('The daemon stopped while it ran the request'),
  ])
  expect(retried.headers['retry-after']).toBeUndefined()
  expect(await countProjects('crash')).toBe(1)
})

test('a 5xx answer is not kept, so a retry runs again', async () => {
  inDatabase(database => database.exec('ALTER TABLE projects RENAME TO elsewhere'))
  const failed = await createProject('fault', 'fault')
  inDatabase(database => database.exec('ALTER TABLE elsewhere RENAME TO projects'))
  expect(failed.status).toBeGreaterThanOrEqual(500)
  const retried = await createProject('fault', 'fault')
  expect([retried.status, retried.headers['idempotent-replayed']]).toEqual([201, undefined])
})

test('every POST operation of the description accepts an idempotency key, except for MCP messages', async () => {
  const { body: document } = await daemon.api('GET', '/openapi.json')
  const posts = Object.entries<
    Record<string, { operationId: string; parameters?: unknown; responses: object }>
  >(document.paths).filter(([, { post }]) => post && post.operationId !== 'sendMcpMessage')
  expect(posts.length).toBeGreaterThan(10)
  for (const [path, { post: spec }] of posts) {
    expect(spec!.parameters, path).toContainEqual({ $ref: '#/components/parameters/Idempotency-Key' })
    expect(Object.keys(spec!.responses), path).toEqual(expect.arrayContaining(['409', '422']))
    const address = path.replace('{environment}', 'staging').replaceAll(/\{\w+\}/g, 'none')
    const refused = await post(address, 'not valid', {
      body: POST_BODIES[spec!.operationId],
    })
    expect([path, refused.body.error.message]).toEqual([path, expect.stringContaining('Idempotency-Key')])
  }
})

test('removes the oldest answers for an API key if there are more than 1,000', async () => {
  const { key, apiKeyId } = await createKey(daemon, { scopes: ['BUILD_AND_DEPLOY'] })
  inDatabase(database =>
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000)
         INSERT INTO idempotency_keys (api_key_id, key, fingerprint, answer, created_at)
         SELECT ?, 'old-' || n, '', x'00', ? FROM numbers`,
      )
      .run(apiKeyId, now.toISOString()),
  )
  await createProject('newest', 'newest', { key })
  const kept = inDatabase(database =>
    database
      .prepare('SELECT key FROM idempotency_keys WHERE api_key_id = ? ORDER BY id')
      .pluck()
      .all(apiKeyId),
  )
  expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, 'old-2', 'newest'])
})

test('an idempotency key can be used again after 24 hours', async () => {
  await createProject('aged', 'aged')
  now = new Date(now.getTime() + 24 * 3_600_000)
  const again = await createProject('aged', 'aged')
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([ALREADY_EXISTS, undefined])
})

test('the cleanup at the start of the daemon removes expired keys', async () => {
  await createProject('expired', 'expired')
  now = new Date(now.getTime() + 24 * 3_600_000)
  await daemon.restart()
  await vi.waitUntil(() => !inDatabase(database => database.prepare('SELECT 1 FROM idempotency_keys').get()))
})

function inDatabase<T>(work: (database: BetterSqlite3.Database) => T): T {
  const database = new BetterSqlite3(daemon.home.database)
  try {
    return work(database)
  } finally {
    database.close()
  }
}
