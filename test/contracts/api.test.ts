import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { validate as validateOpenApi } from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tarGz } from '../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { startModelStub } from '../helpers/model-stub.ts'
import { createProjectFolder } from '../helpers/project-folder.ts'
import { echoServer } from '../http/fixtures.ts'
import { deployBody, testErrors } from './errors.ts'
import { OpenApiClient } from './openapi-client.ts'
import { proofTable, referenceWith } from './proof-table.ts'

/**
 * Walks every operation of the API and holds every answer (status, headers, body) against the served OpenAPI
 * description; then makes sure that every answer which the description lists was seen.
 */
let daemon: TestDaemon
let api: OpenApiClient
let stopped = 0
let upgrades = 0

beforeAll(async () => {
  daemon = await startTestDaemon({
    requestStop: () => stopped++,
    upgrades: { begin: () => upgrades++, state: () => null },
  })
  api = await OpenApiClient.open(daemon)
})

afterAll(() => daemon.close())

const ASYNC = { prefer: 'respond-async' }

describe('the description', () => {
  test('is valid OpenAPI 3.1', async () => {
    await validateOpenApi(structuredClone(api.document))
    expect(api.document.openapi).toMatch(/^3\.1/)
  })

  test('lists every endpoint of the service interface that this release serves', () => {
    const all = api.operations.map(({ method, path }) => `${method} ${path}`)
    expect(all).toEqual(
      expect.arrayContaining([
        'POST /v1/build',
        'POST /v1/test',
        'POST /v1/deploy',
        'GET /v1/deploy/{deployment_id}/status',
        'GET /api/deployments/api-key/info',
        'GET /api/chat-messages/chat/id/{chatId}/count',
        'GET /api/lambda-deploy/{id}/health',
        'POST /api/lambda-builds/trigger/{projectId}',
        'GET /api/lambda-builds/{id}/logs',
        'DELETE /api/lambda-mapping/{subdomain}',
      ]),
    )
  })
})

test('the API reference lists every operation with the scope it needs, and no other', () => {
  const reference = readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')
  const listed = [...reference.matchAll(/^\| `([A-Z]+ \/[^`]*)` \| ([A-Z_]+|any key|none) \|/gm)].map(
    ([, line, scope]) => `${line} ${scope}`,
  )
  const served = api.operations.map(({ method, path, spec }) => {
    const withoutScope = spec.security?.length === 0 ? 'none' : 'any key'
    return `${method} ${path} ${spec['x-scope'] ?? withoutScope}`
  })
  expect(listed.toSorted()).toEqual(served.toSorted())
})

describe('every answer in the good case is as described:', () => {
  let mcpId: string
  let deploymentId: string

  test('build', async () => {
    const { body, headers } = await api.call('createBuild', {}, { body: echoServer() })
    expect(body.data).toMatchObject({ name: 'echo', status: 'ready', build_time: expect.any(Number) })
    mcpId = body.data.mcp_id
    expect(headers.location).toBe(`/v1/build/${mcpId}`)
    const started = await api.call('createBuild', {}, { body: echoServer(), headers: ASYNC })
    expect(started.body.data).toMatchObject({ status: 'building', build_time: 0 })
    const { body: page } = await api.call('listBuilds', {}, { query: 'name=echo&limit=1' })
    expect(page.data.items).toHaveLength(1)
    expect((await api.call('getBuild', { mcp_id: mcpId })).body.data.url).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/mcp$/,
    )
    expect((await api.call('getArtifact', { mcp_id: mcpId })).body.data).toMatchObject({
      format: 1,
      server: { name: 'echo' },
    })
  })

  test('build of code', async () => {
    const { body: project } = await api.call('createProject', {}, { body: { name: 'code' } })
    using folder = createProjectFolder({
      'tools/hi.ts': `export default { description: 'Greets', handler: () => 'hi' }`,
    })
    const archive = execFileSync('tar', ['-cz', '-C', folder.path, '.'])
    const upload = { body: archive, headers: { 'content-type': 'application/gzip' } }
    const { body } = await api.call('putProjectSource', { id: project.id }, upload)
    const request = { name: 'code', template: 'custom', source: body.sourceId }
    const { body: built } = await api.call('createBuild', {}, { body: request })
    expect(built.data).toMatchObject({ status: 'ready', tools: ['hi'] })
    const { body: code } = await api.call('getBundle', { mcp_id: built.data.mcp_id })
    expect(code.data.bundle).toContain('tools/hi.ts')
    expect((await api.call('getBundle', { mcp_id: mcpId })).status).toBe(404)
  })

  test('deploy', async () => {
    const { body } = await api.call('createDeployment', {}, { body: deployBody(mcpId, 'production') })
    expect(body.data).toMatchObject({ status: 'deployed', deploy_time: expect.any(Number) })
    const { body: second } = await api.call('createDeployment', {}, { body: deployBody(mcpId, 'production') })
    deploymentId = second.data.deployment_id
    const started = await api.call('createDeployment', {}, { body: deployBody(mcpId), headers: ASYNC })
    expect(started.body.data.status).toBe('deploying')
    const { body: status } = await api.call('getDeploymentStatus', { deployment_id: deploymentId })
    expect(status.data).toMatchObject({
      ...second.data,
      mcp_id: mcpId,
      environment: 'production',
      domain: null,
      subdomain: 'echo',
    })
    await api.call('listDeployments', {}, { query: 'environment=production&limit=1' })
  })

  test('tests and chats', async () => {
    const stub = await startModelStub('compatible', [{ status: 400 }])
    const { body } = await api.call('runTest', {}, { body: { mcp_id: mcpId, message: 'call echo with hi' } })
    const { chat_id: chatId } = body.data
    const other = { mcp_id: mcpId, message: 'x', ai_model: `openai:m@${stub.url}` }
    expect((await api.call('runTest', {}, { body: other })).status).toBe(502)
    await stub.close()
    const replay = { ...other, cassette: { mode: 'replay', responses: {} } }
    expect((await api.call('runTest', {}, { body: replay })).body.error.code).toBe('NOT_RECORDED')
    await api.call('listChats', {}, { query: 'limit=1' })
    await api.call('listChatMessages', { chatId }, { query: 'limit=1' })
    expect((await api.call('countChatMessages', { chatId })).body).toMatchObject({
      chatId,
      messageCount: expect.any(Number),
    })
    await api.call('removeChat', { chatId })
  })

  test('model keys', async () => {
    await api.call('saveModelKey', { vendor: 'openai' }, { body: { apiKey: 'sk-0123456789abcdef' } })
    await api.call('listModelKeys')
    await api.call('removeModelKey', { vendor: 'openai' })
  })

  test('surface', async () => {
    const { body } = await api.call('getSurface', { mcp_id: mcpId }, { query: 'environment=production' })
    expect(body.data).toMatchObject({
      mcp_id: mcpId,
      items: [{ environment: 'production', breaking: false }],
    })
  })

  test('projects', async () => {
    const { body: project } = await api.call('createProject', {}, { body: { name: 'kept' } })
    const at = { id: project.id }
    expect((await api.call('getProject', at)).body).toEqual(project)
    await api.call('updateProject', at, { body: { description: 'Described' } })
    expect((await api.call('listProjects', {}, { query: 'name=kept&limit=1' })).body.items).toHaveLength(1)
    await api.call('updateProject', at, { body: { status: 'deleted' } })
    const upload = { body: 'x', headers: { 'content-type': 'application/gzip' } }
    expect((await api.call('putProjectSource', at, upload)).status).toBe(409)
    expect((await api.call('updateProject', at, { body: { name: 'x' } })).status).toBe(409)
  })

  test('health, metrics and logs', async () => {
    const { body } = await api.call('getDeploymentHealth', { id: deploymentId })
    expect(body).toMatchObject({ deploymentId, status: 'healthy', requests: { total: expect.any(Number) } })
    const { body: page } = await api.call('getDeploymentLogs', { id: deploymentId }, { query: 'limit=10' })
    expect(page).toMatchObject({ id: deploymentId, status: 'deployed' })
    const { body: history } = await api.call('getDeploymentMetrics', { id: deploymentId })
    expect(history).toMatchObject({ id: deploymentId, stepSeconds: 60, points: expect.any(Array) })
    const { body: live } = await api.call('getMetrics', {}, { query: 'environment=production' })
    expect(live.deployments).toMatchObject([{ deploymentId, instances: 1 }])
  })

  test('container builds', async () => {
    const { body: project } = await api.call('createProject', {}, { body: { name: 'image' } })
    expect((await api.call('triggerContainerBuild', { projectId: project.id })).body.error.code).toBe(
      'NO_SOURCE',
    )
    const source = tarGz([{ name: 'mcp.config.json', content: JSON.stringify(echoServer('image')) }])
    await api.call(
      'putProjectSource',
      { id: project.id },
      { body: source, headers: { 'content-type': 'application/gzip' } },
    )
    const { body: build } = await api.call('triggerContainerBuild', { projectId: project.id })
    const at = { id: build.id }
    expect((await api.call('stopContainerBuild', at)).body.status).toBe('stopped')
    expect((await api.call('stopContainerBuild', at)).status).toBe(409)
    expect((await api.call('getContainerBuild', at)).body).toMatchObject({ status: 'stopped' })
    await api.call('listContainerBuilds', {}, { query: 'limit=1' })
    await api.call('getContainerBuildLogs', at, { query: 'limit=1' })
  })

  test('an image', async () => {
    expect((await api.call('getImage', { mcp_id: mcpId })).status).toBe(200)
  })

  test('subdomain mappings', async () => {
    await api.call('putMapping', { subdomain: 'team' }, { body: { deploymentId } })
    await api.call('listMappings', {}, { query: 'limit=1' })
    await api.call('removeMapping', { subdomain: 'team' })
  })

  test('stop, start, restart, rollback, remove', async () => {
    const at = { deployment_id: deploymentId }
    expect((await api.call('restartDeployment', at)).body.data.status).toBe('deployed')
    expect((await api.call('stopDeployment', at)).body.data.status).toBe('stopped')
    expect((await api.call('startDeployment', at)).body.data.status).toBe('deployed')
    await api.call('stopDeployment', at)
    expect((await api.call('startDeployment', at, { headers: ASYNC })).body.data.status).toBe('deploying')
    await expect
      .poll(async () => (await api.call('getDeploymentStatus', at)).body.data.status)
      .toBe('deployed')
    const { body } = await api.call('rollbackDeployment', at)
    expect(body.data.status).toBe('deployed')
    await api.call('rollbackDeployment', { deployment_id: body.data.deployment_id }, { headers: ASYNC })
    await api.call('removeDeployment', at)
  })

  test('keys', async () => {
    await api.call('getApiKeyInfo')
    const { body } = await api.call('createApiKey', {}, { body: { name: 'ci', scopes: ['READ'] } })
    await api.call('listApiKeys', {}, { query: 'limit=1' })
    await api.call('checkApiKey', {}, { body: { key: body.key, method: 'GET', path: '/v1/build' } })
    await api.call('revokeApiKey', { id: body.apiKeyId })
  })

  test('the daemon itself', async () => {
    expect((await api.call('getDaemonHealth', {}, { query: 'challenge=abc' })).body).toMatchObject({
      status: 'ok',
      pid: process.pid,
    })
    await api.call('getOpenApi')
    await api.call('backUpDatabase')
    expect((await api.call('describeDaemon')).body).toMatchObject({ pid: process.pid, upgrade: null })
    await api.call('upgradeDaemon', {}, { body: {} })
    expect(upgrades).toBe(1)
    await api.call('stopDaemon')
    await expect.poll(() => stopped).toBe(1)
  })

  test('a build that fails after it was accepted', async () => {
    rmSync(daemon.home.artifacts, { recursive: true })
    writeFileSync(daemon.home.artifacts, 'in the way')
    const { body } = await api.call('createBuild', {}, { body: echoServer('unlucky') })
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'UNAVAILABLE' } })
    expect((await api.call('getArtifact', { mcp_id: body.data.mcp_id })).status).toBe(409)
    expect((await api.call('getBundle', { mcp_id: body.data.mcp_id })).status).toBe(409)
    expect((await api.call('getSurface', { mcp_id: body.data.mcp_id })).status).toBe(409)
    expect((await api.call('getImage', { mcp_id: body.data.mcp_id })).status).toBe(409)
    rmSync(daemon.home.artifacts)
  })

  test('removal of a build', async () => {
    const { body } = await api.call('createBuild', {}, { body: echoServer('unused') })
    await api.call('removeBuild', { mcp_id: body.data.mcp_id })
  })
})

describe('every list', () => {
  test('is read page by page, each record once, and refuses a token that no list gave', async () => {
    await makeTwoOfEach()
    const lists = api.operations.filter(({ method, spec }) => method === 'GET' && tokenOf(spec))
    expect(lists.length).toBeGreaterThan(8)
    for (const { spec } of lists) await expectPages(spec)
  })
})

type Spec = OpenApiClient['operations'][number]['spec']

/** Name of the query parameter that asks for the next page. */
function tokenOf(spec: Spec): 'cursor' | 'nextToken' | undefined {
  const names = spec.parameters.map(({ name }: { name: string }) => name)
  return (['cursor', 'nextToken'] as const).find(name => names.includes(name))
}

async function expectPages(spec: Spec): Promise<void> {
  const { operationId } = spec
  const token = tokenOf(spec)!
  const params = await paramsOf(operationId)
  const read = async (query: string) => {
    const { body } = await api.call(operationId, params, { query })
    const page = body.data ?? body
    const records = (page.items ?? page.lines).map(withoutMoments) as string[]
    return { records, next: page.next_cursor ?? page.nextToken }
  }
  const { records: all } = await read('limit=1000')
  const seen: string[] = []
  let next: string | null = ''
  do {
    const page = await read(`limit=1${next && `&${token}=${encodeURIComponent(next)}`}`)
    expect(page.records.length, operationId).toBeLessThanOrEqual(1)
    seen.push(...page.records)
    next = page.next
  } while (next && seen.length <= all.length)
  expect(all.length, `${operationId} has more than a page`).toBeGreaterThan(1)
  expect(seen, operationId).toEqual(all)
  expect((await api.call(operationId, params, { query: `${token}=none` })).status, operationId).toBe(400)
}

async function makeTwoOfEach(): Promise<void> {
  const { body: build } = await api.call('createBuild', {}, { body: echoServer('listed') })
  const { mcp_id } = build.data
  const { body: made } = await api.call('createDeployment', {}, { body: deployBody(mcp_id, 'production') })
  const { deployment_id: deploymentId } = made.data
  await api.call('restartDeployment', { deployment_id: deploymentId })
  for (const name of ['one', 'two']) {
    await api.call('createApiKey', {}, { body: { name, scopes: ['READ'] } })
    await api.call('createProject', {}, { body: { name, storageLocation: `s3://sources/${name}` } })
    await api.call('putMapping', { subdomain: name }, { body: { deploymentId } })
    await api.call('runTest', {}, { body: { mcp_id, message: 'call say with hi' } })
  }
  const { body: projects } = await api.call('listProjects', {}, { query: 'limit=2' })
  for (const { id } of projects.items) {
    const { body } = await api.call('triggerContainerBuild', { projectId: id })
    const read = async () => (await api.call('getContainerBuild', { id: body.id })).body.status
    await expect.poll(read).toBe('failed')
  }
}

/** A record as text, but for what changes from one moment to the next. */
function withoutMoments(record: unknown): string {
  const fleeting = ['instances', 'lastUsedAt']
  return JSON.stringify(record, (key, value) => (fleeting.includes(key) ? undefined : value))
}

/** What a list is of, where it is of something. */
async function paramsOf(operationId: string): Promise<Record<string, string>> {
  if (operationId === 'listChatMessages')
    return { chatId: (await api.call('listChats')).body.items[0].chatId }
  if (operationId === 'getContainerBuildLogs') {
    const { body } = await api.call('listContainerBuilds', {}, { query: 'status=failed' })
    return { id: body.items[0].id }
  }
  const { body } = await api.call('listDeployments', {}, { query: 'environment=production' })
  return { id: body.data.items[0].deployment_id }
}

describe('every error is as described:', () => {
  testErrors(() => ({ daemon, api }))
})

test('every described answer was seen, but for faults where nothing is read', () => {
  const all = api.operations.flatMap(({ spec }) =>
    Object.keys(spec.responses).map(status => `${spec.operationId} ${status}`),
  )
  const unseen = all.filter(label => !api.seen.has(label) && !/^get(DaemonHealth|OpenApi) 500$/.test(label))
  expect(unseen).toEqual([])
})

test('the API reference tells of every answer which test proves it', () => {
  expect(referenceWith('answers', proofTable(api))).toContain(proofTable(api))
})
