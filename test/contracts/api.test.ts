import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { validate as validateOpenApi } from '@apidevtools/swagger-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tarGz } from '../helpers/archives.ts'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'
import { startModelStub } from '../helpers/model-stub.ts'
import { FIXTURE as STDIO_SERVER } from '../helpers/programs.ts'
import { createProjectFolder } from '../helpers/project-folder.ts'
import { createKey, echoServer } from '../http/fixtures.ts'
import { OpenApiClient } from './openapi-client.ts'

/**
 * Walks every operation of the API and holds every answer (status, headers, body) against the served OpenAPI
 * description; then makes sure that every answer which the description lists was seen.
 */
let daemon: TestDaemon
let api: OpenApiClient
let stopped = 0

beforeAll(async () => {
  daemon = await startTestDaemon({ requestStop: () => stopped++ })
  api = await OpenApiClient.open(daemon)
})

afterAll(() => daemon.close())

const ASYNC = { prefer: 'respond-async' }
const deployBody = (mcp_id: string, environment = 'staging', config = {}) => ({ mcp_id, environment, config })

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
  const listed = [...reference.matchAll(/^\| `([A-Z]+ \/[^`]*)` \| ([^|]+) \|/gm)].map(
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

  test('health and logs', async () => {
    const { body } = await api.call('getDeploymentHealth', { id: deploymentId })
    expect(body).toMatchObject({ deploymentId, status: 'healthy', requests: { total: expect.any(Number) } })
    const { body: page } = await api.call('getDeploymentLogs', { id: deploymentId }, { query: 'limit=10' })
    expect(page).toMatchObject({ id: deploymentId, status: 'deployed' })
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

describe('every error is as described:', () => {
  const described = (status: number) => api.operations.filter(({ spec }) => spec.responses[status])
  type Given = { params?: Record<string, string>; [option: string]: unknown }
  const each = async (
    status: number,
    input: (operationId: string, scope: string) => Given | Promise<Given>,
  ) => {
    for (const { spec } of described(status)) {
      const { params = {}, ...given } = await input(spec.operationId, spec['x-scope'])
      const answer = await api.call(spec.operationId, params, given)
      expect(answer.status, `${spec.operationId}: ${answer.text}`).toBe(status)
    }
  }

  test('401 without a key', () => each(401, () => ({ key: null })))

  test('403 for a page of another origin', () =>
    each(403, () => ({ headers: { origin: 'https://evil.example' } })))

  test('403 for a key without the scope', async () => {
    const keys: Record<string, string> = {}
    for (const scope of ['READ', 'CHAT']) keys[scope] = (await createKey(daemon, { scopes: [scope] })).key
    for (const { spec } of api.operations.filter(({ spec }) => spec['x-scope'])) {
      const { body, status } = await api.call(
        spec.operationId,
        {},
        { key: keys[spec['x-scope'] === 'READ' ? 'CHAT' : 'READ'] },
      )
      expect([status, body.error.code]).toEqual([403, 'INSUFFICIENT_SCOPE'])
    }
  })

  test('429 for a key that used its hour up', async () => {
    const { key } = await createKey(daemon, { scopes: ['READ', 'BUILD_AND_DEPLOY', 'CHAT', 'ADMIN'] })
    for (let i = 0; i < 100; i++) await daemon.api('GET', '/api/deployments/api-key/info', { key })
    await each(429, () => ({ key }))
  })

  test('413 for a body over 1 MiB, for an archive over 100', () =>
    each(413, operationId =>
      operationId === 'putProjectSource'
        ? { body: Buffer.alloc(100 * 1024 * 1024 + 1) }
        : { body: `"${'x'.repeat(1024 * 1024)}"` },
    ))

  test('415 for a body that is not JSON, nor an archive', async () => {
    const { body: project } = await api.call('createProject', {}, { body: { name: 'text' } })
    const params = { id: project.id }
    await each(415, () => ({ params, body: 'a=b', headers: { 'content-type': 'text/plain' } }))
  })

  test('400 for a wrong body, query or path', async () => {
    for (const { spec } of described(400)) {
      const takesJson = spec.requestBody?.content['application/json']
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

  test('404 for what is not there', () =>
    each(404, operationId => {
      if (operationId === 'createDeployment') return { body: deployBody('mcp_none') }
      if (operationId === 'runTest') return { body: { mcp_id: 'mcp_none', message: 'x' } }
      if (operationId === 'putMapping') return { body: { deploymentId: 'dep_none' } }
      if (operationId === 'saveModelKey') return { body: { apiKey: 'x' } }
      if (operationId === 'updateProject') return { body: { name: 'x' } }
      if (operationId === 'createBuild')
        return { body: { name: 'none', template: 'custom', source: 'src_none' } }
      return {}
    }))

  test('422 for invalid definitions, and for a program that makes no image', async () => {
    const program = { type: 'stdio', command: 'node', args: [STDIO_SERVER] }
    const { body: built } = await api.call(
      'createBuild',
      {},
      { body: { name: 'program', template: 'custom', program } },
    )
    await each(422, operationId =>
      operationId === 'getImage'
        ? { params: { mcp_id: built.data.mcp_id } }
        : { body: { ...echoServer(), template: 'fancy' } },
    )
  })

  test('409 for what the state of things forbids', async () => {
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
    await api.call('stopDeployment', at)
    await expect409('stopDeployment', at)
    await expect409('restartDeployment', at)
    await expect409('revokeApiKey', { id: (await api.call('getApiKeyInfo')).body.apiKeyId })
  })
})

test('every described answer was seen, but for faults of the daemon itself', () => {
  const all = api.operations.flatMap(({ spec }) =>
    Object.keys(spec.responses).map(status => `${spec.operationId} ${status}`),
  )
  const unseen = all.filter(label => !api.seen.has(label) && !/ 50[03]$/.test(label))
  expect(unseen).toEqual([])
})
