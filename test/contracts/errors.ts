import BetterSqlite3 from 'better-sqlite3'
import { beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/shared/contract/access/scopes.ts'
import { createKey, echoServer, POST_BODIES, suiteRun } from '../daemon/http/fixtures.ts'
import { tarGz } from '../helpers/archives.ts'
import type { TestDaemon } from '../helpers/daemon/daemon.ts'
import { FIXTURE as STDIO_SERVER } from '../helpers/instance/programs.ts'
import { type Contract, deployBody } from './contract.ts'
import type { OpenApiClient } from './openapi-client.ts'

const GZIP = { 'content-type': 'application/gzip' }
const UNREACHABLE_STORAGE = {
  type: 's3',
  bucket: 'bucket',
  prefix: '',
  endpoint: 'http://127.0.0.1:1',
  region: 'us-east-1',
  credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
} as const

type Given = { params?: Record<string, string>; [option: string]: unknown }

/** Parameters that are invalid for every operation. */
const INVALID_PARAMS = Object.fromEntries(
  ['mcp_id', 'deployment_id', 'id', 'projectId', 'subdomain', 'chatId', 'vendor', 'name'].map(name => [
    name,
    'a%00b',
  ]),
)

/** Tests every documented error of every operation, except 412. */
export function testErrors(contract: Contract): void {
  let daemon: TestDaemon
  let api: OpenApiClient
  beforeAll(() => {
    ;({ daemon, api } = contract)
  })

  const described = (status: number) => api.operations.filter(({ spec }) => spec.responses[status])
  const each = async (status: number, input: (operationId: string) => Given | Promise<Given>) => {
    for (const { spec } of described(status)) {
      const { params = {}, ...given } = await input(spec.operationId)
      const answer = await api.call(spec.operationId, params, given)
      expect(answer.status, `${spec.operationId}: ${answer.text}`).toBe(status)
    }
  }

  test('returns 401 without a key', () => each(401, () => ({ key: null })))

  test('returns 403 for a page from another origin', () =>
    each(403, () => ({ headers: { origin: 'https://evil.example' } })))

  test('returns 403 with a challenge, only for a key that has none of the accepted scopes', async () => {
    const keys = new Map<string, string>()
    for (const scope of SCOPES)
      keys.set(scope, (await createKey(daemon, { scopes: [scope], plan: 'pro' })).key)
    for (const { spec } of api.operations.filter(({ spec }) => spec['x-scopes'])) {
      for (const [scope, key] of keys) {
        // The invalid parameters keep allowed operations from changing anything.
        const { body, status, headers } = await api.call(spec.operationId, INVALID_PARAMS, {
          key,
          query: 'limit=0',
        })
        const refused = status === 403 && body.error.code === 'INSUFFICIENT_SCOPE'
        expect(refused, `${spec.operationId} with ${scope}`).toBe(!spec['x-scopes'].includes(scope))
        if (refused)
          expect(headers['www-authenticate']).toBe(
            `Bearer realm="mcp-hosting", error="insufficient_scope", scope="${spec['x-scopes'][0]}"`,
          )
      }
    }
  })

  test('returns 404 for an unknown path, and 405 with the supported methods for any other method', async () => {
    expect((await daemon.api('GET', '/api/none')).status).toBe(404)
    for (const target of new Set(api.operations.map(({ path }) => path.replace(/\{\w+\}/g, 'none')))) {
      const matches = (path: string) => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`).test(target)
      const taken = api.operations.filter(({ path }) => matches(path)).map(({ method }) => method)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(name => !taken.includes(name))) {
        const answer = await daemon.api(method, target)
        expect([answer.status, answer.body?.error.code], `${method} ${target}`).toEqual([
          405,
          'METHOD_NOT_ALLOWED',
        ])
        const allowed = answer.headers.allow!.split(', ')
        expect(allowed.filter(name => name !== 'HEAD').toSorted(), target).toEqual(taken.toSorted())
      }
    }
  })

  test('returns 429 for a key above its hourly limit', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ', 'BUILD_AND_DEPLOY', 'CHAT', 'ADMIN'] })
    for (let i = 0; i < 100; i++) await daemon.api('GET', '/api/deployments/api-key/info', { key })
    await each(429, () => ({ key }))
  })

  test('returns 413 for a body over its limit', () =>
    each(413, operationId =>
      operationId === 'putProjectSource'
        ? { body: Buffer.alloc(100 * 1024 * 1024 + 1) }
        : { body: `"${'x'.repeat(1024 * 1024)}"` },
    ))

  test('returns 415 for a body of an unsupported type', async () => {
    const { body: project } = await api.call('createProject', {}, { body: { name: 'text' } })
    const params = { id: project.id }
    await each(415, () => ({ params, body: 'a=b', headers: { 'content-type': 'text/plain' } }))
  })

  test('returns 400 for a query parameter that the operation does not have', () =>
    each(400, () => ({ query: 'zzz=1' })))

  test('returns 400 for an invalid body, query or path', async () => {
    for (const { spec } of described(400)) {
      const takesJson = spec.requestBody?.content['application/json'] && spec.responses[415]
      const answer = takesJson
        ? await api.call(spec.operationId, {}, { body: '{' })
        : await api.call(
            spec.operationId,
            {
              mcp_id: 'a%00b',
              deployment_id: 'a%00b',
              id: 'a%00b',
              projectId: 'a%00b',
              subdomain: 'a%00b',
              chatId: 'a%00b',
              vendor: 'a%00b',
            },
            { query: 'limit=0&digest=x' },
          )
      expect(answer.status, spec.operationId).toBe(400)
    }
  })

  test('returns 404 for a missing record', () =>
    each(404, operationId => {
      if (operationId === 'createDeployment') return { body: deployBody('mcp_none') }
      if (operationId === 'createSuiteRun') return { body: suiteRun('mcp_none') }
      if (operationId === 'runTest') return { body: { mcp_id: 'mcp_none', message: 'x' } }
      if (operationId === 'putMapping') return { body: { deploymentId: 'dep_none' } }
      if (operationId === 'reconfigureDeployment') return { body: { config: { log_level: 'debug' } } }
      if (operationId === 'saveModelKey') return { body: { apiKey: 'x' } }
      if (operationId === 'updateProject') return { body: { name: 'x' } }
      if (operationId === 'changeStoreEntries') return { body: {} }
      if (operationId === 'createBuild')
        return { body: { name: 'none', template: 'custom', source: 'src_none' } }
      return {}
    }))

  test('returns 422 for rejected definitions and for the idempotency key of another request', async () => {
    const headers = { 'idempotency-key': 'used' }
    await api.call('createProject', {}, { body: { name: 'used' }, headers })
    const program = { type: 'stdio', command: 'node', args: [STDIO_SERVER] }
    const { body: built } = await api.call(
      'createBuild',
      {},
      { body: { name: 'program', template: 'custom', program } },
    )
    await each(422, operationId => {
      if (operationId === 'getImage') return { params: { mcp_id: built.data.mcp_id } }
      if (operationId === 'createBuild') return { body: { ...echoServer(), template: 'fancy' } }
      return { body: POST_BODIES[operationId], headers }
    })
  })

  test('returns 409 for the idempotency key of an interrupted request', async () => {
    using database = openDatabase(daemon)
    const takesKey = api.operations.filter(({ spec }) => spec.responses[422] && spec.responses[409])
    for (const { spec } of takesKey.filter(({ method }) => method === 'POST')) {
      const input = { body: POST_BODIES[spec.operationId], headers: { 'idempotency-key': spec.operationId } }
      await api.call(spec.operationId, {}, input)
      database.exec('UPDATE idempotency_keys SET answer = NULL')
      expect((await api.call(spec.operationId, {}, input)).status, spec.operationId).toBe(409)
    }
  })

  test('returns 409 for an operation that the current state forbids', async () => {
    const { body: built } = await api.call('createBuild', {}, { body: echoServer('conflicts') })
    const mcp_id = built.data.mcp_id
    const { body } = await api.call(
      'createDeployment',
      {},
      { body: deployBody(mcp_id, 'staging', { domain: 'a.example' }) },
    )
    const at = { deployment_id: body.data.deployment_id }
    const expect409 = async (operationId: string, params: Record<string, string>, input = {}) =>
      expect((await api.call(operationId, params, input)).status, operationId).toBe(409)
    await expect409(
      'createDeployment',
      {},
      { body: deployBody(mcp_id, 'production', { domain: 'a.example' }) },
    )
    const { body: status } = await api.call('getDeploymentStatus', at)
    const { body: other } = await api.call(
      'createDeployment',
      {},
      { body: deployBody(mcp_id, 'development') },
    )
    const mapping = { deploymentId: other.data.deployment_id }
    await expect409('putMapping', { subdomain: status.data.subdomain }, { body: mapping })
    await expect409('startDeployment', at)
    await expect409('rollbackDeployment', at)
    await expect409('removeBuild', { mcp_id })
    await api.call('createBuild', {}, { body: echoServer('conflicts') })
    await expect409('getInspector', { mcp_id }, { headers: { accept: 'text/event-stream' } })
    using database = openDatabase(daemon)
    database.exec(`UPDATE builds SET status = 'building' WHERE id = '${mcp_id}'`)
    await expect409('removeServer', { name: 'conflicts' })
    database.exec(`UPDATE builds SET status = 'ready' WHERE id = '${mcp_id}'`)
    await api.call('stopDeployment', at)
    await expect409('stopDeployment', at)
    await expect409('restartDeployment', at)
    await expect409('reconfigureDeployment', at, { body: { config: { log_level: 'debug' } } })
    await expect409('releaseServerEnv', { name: 'conflicts' })
    for (const operationId of ['createProject', 'createApiKey']) {
      const body = { name: 'only', ...(operationId === 'createApiKey' && { scopes: ['READ'] }) }
      expect((await api.call(operationId, {}, { body })).status).toBe(201)
      await expect409(operationId, {}, { body })
    }
    await expect409('revokeApiKey', { id: (await api.call('getApiKeyInfo')).body.apiKeyId })
  })

  const faults = (status: number) => described(status).filter(({ spec }) => spec.security === undefined)
  const editSchema = (database: BetterSqlite3.Database, from: string, to: string) => {
    database.unsafeMode(true).pragma('writable_schema = ON')
    database
      .prepare("UPDATE sqlite_master SET sql = replace(sql, ?, ?) WHERE name = 'api_keys'")
      .run(from, to)
    database.pragma('writable_schema = RESET')
  }

  test('returns 502 when the storage or registry is unreachable', async () => {
    const { body: built } = await api.call('createBuild', {}, { body: echoServer('unreachable') })
    const { body: project } = await api.call('createProject', {}, { body: { name: 'unreachable' } })
    const query = `base=${encodeURIComponent('127.0.0.1:1/node')}`
    await daemon.restart({ storage: UNREACHABLE_STORAGE })
    const body = { name: 'elsewhere', storageLocation: `s3://bucket/${'0'.repeat(64)}.zip` }
    // In parallel, because each operation tries several times.
    const answers = await Promise.all([
      api.call('getImage', { mcp_id: built.data.mcp_id }, { query }),
      api.call('createProject', {}, { body }),
      api.call('updateProject', { id: project.id }, { body }),
      api.call(
        'putProjectSource',
        { id: project.id },
        { body: tarGz([{ name: 'a', content: 'a' }]), headers: GZIP },
      ),
    ])
    expect(answers.map(({ status }) => status)).toEqual([502, 502, 502, 502])
    await daemon.restart()
  })

  test('returns 500 for an internal error in the daemon', async () => {
    using database = openDatabase(daemon)
    database.exec('ALTER TABLE api_keys RENAME TO elsewhere')
    for (const { spec } of faults(500))
      expect((await api.call(spec.operationId)).status, spec.operationId).toBe(500)
    database.exec('ALTER TABLE elsewhere RENAME TO api_keys')
  })

  test('returns 503 for a damaged database, until it is repaired', async () => {
    using database = openDatabase(daemon)
    editSchema(database, 'CREATE TABLE', 'CREATE NOTHING')
    for (const { spec } of faults(503))
      expect((await api.call(spec.operationId)).status, spec.operationId).toBe(503)
    editSchema(database, 'CREATE NOTHING', 'CREATE TABLE')
    expect((await api.call('getApiKeyInfo')).status).toBe(200)
  })
}

/** Opens the database in addition to the daemon's own connection. */
function openDatabase({ home }: TestDaemon): BetterSqlite3.Database & Disposable {
  const database = new BetterSqlite3(home.database)
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() })
}
