import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../helpers/unique-name.ts'
import { buildServer, createKey, deploy, echoServer } from './fixtures.ts'

/** Rules of the contract for several operations. */
let daemon: TestDaemon
let mcpId: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  mcpId = await buildServer(daemon)
})

afterAll(() => daemon.close())

const get = (path: string, options = {}) => daemon.api('GET', path, options)

test('every error has code, message and details as strings', async () => {
  const readOnly = await createKey(daemon, { scopes: ['READ'] })
  const answers = await Promise.all([
    get('/v1/build', { key: null }),
    get('/v1/build', { key: 'wrong' }),
    get('/api/keys', { key: readOnly.key }),
    get('/v1/none'),
    get('/v1/build/mcp_none'),
    get('/v1/build?limit=0'),
    daemon.api('PUT', '/v1/build'),
    daemon.api('POST', '/v1/deploy'),
    daemon.api('POST', '/v1/build', { body: 'a', headers: { 'content-type': 'text/plain' } }),
    daemon.api('POST', '/v1/build', { body: `"${'x'.repeat(1024 * 1024)}"` }),
    get('/v1/build', { headers: { origin: 'https://evil.example' } }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 404, 404, 400, 405, 400, 415, 413, 403])
  for (const { body } of answers)
    expect(body.error).toEqual({
      code: expect.any(String),
      message: expect.any(String),
      details: expect.any(String),
    })
})

test('the OpenAPI description has the version of the contract', async () => {
  expect((await get('/openapi.json')).body.info.version).toBe('1.0.0')
})

describe('the query', () => {
  test('rejects unknown query parameters, even on operations without parameters', async () => {
    for (const path of [`/v1/build/${mcpId}`, '/api/deployments/api-key/info', '/openapi.json', '/health']) {
      const answer = await get(`${path}?zzz=1`)
      expect([answer.status, answer.body.error.details], path).toEqual([400, 'zzz: not a known parameter'])
    }
    expect((await daemon.api('POST', '/v1/test?stream=1', { body: {} })).status).toBe(400)
  })

  test('rejects repeated query parameters and __proto__', async () => {
    expect((await get('/v1/build?limit=1&limit=2')).body.error.details).toBe('limit: give it once')
    expect((await get('/v1/build?__proto__=1')).status).toBe(400)
  })

  test('/metrics ignores the query and answers other methods with 405', async () => {
    expect((await get('/metrics?collect=all')).status).toBe(200)
    const refused = await daemon.api('POST', '/metrics')
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, HEAD'])
  })
})

test('a key with only BUILD_AND_DEPLOY can poll builds and deployments, but not list them', async () => {
  const { key } = await createKey(daemon, { scopes: ['BUILD_AND_DEPLOY'] })
  const { deployment_id } = await deploy(daemon, mcpId)
  for (const path of [
    `/v1/build/${mcpId}`,
    `/v1/build/${mcpId}/surface`,
    `/v1/deploy/${deployment_id}/status`,
    `/api/lambda-deploy/${deployment_id}/health`,
  ])
    expect((await get(path, { key })).status, path).toBe(200)
  for (const path of ['/api/lambda-builds/bld_none', '/api/lambda-builds/bld_none/logs'])
    expect((await get(path, { key })).status, path).toBe(404)
  for (const path of ['/v1/build', '/v1/deploy', `/api/lambda-deploy/${deployment_id}/logs`])
    expect((await get(path, { key })).status, path).toBe(403)
})

test('exporting an image with a base requires BUILD_AND_DEPLOY, and the challenge names that scope', async () => {
  const { key } = await createKey(daemon, { scopes: ['READ'] })
  const answer = await get(`/v1/build/${mcpId}/image?base=local`, { key })
  expect(answer.status).toBe(403)
  expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope", scope="BUILD_AND_DEPLOY"')
})

test('returns 409 for a model without a key and explains how to save one', async () => {
  const body = { mcp_id: mcpId, message: 'hello', ai_model: 'claude-sonnet-4-5' }
  const { status, body: answer } = await daemon.api('POST', '/v1/test', { body })
  expect([status, answer.error.code]).toEqual([409, 'CONFLICT'])
  expect(answer.error.details).toContain('mcp models login anthropic')
})

test('rejects domains that a deployment cannot own', async () => {
  const answers = [
    '127.0.0.1',
    '1.2.3.4',
    '1.2.0x7f',
    'x.localhost',
    'Demo.LOCALHOST',
    'a b.example',
    'single',
  ]
  for (const domain of answers) {
    const body = { mcp_id: mcpId, environment: 'staging', config: { domain } }
    const { status, body: answer } = await daemon.api('POST', '/v1/deploy', { body })
    expect([status, answer.error?.details], domain).toEqual([
      400,
      expect.stringMatching(
        /^config\.domain: (expected a host name|an IP address|the daemon assigns names below \.localhost)/,
      ),
    ])
  }
})

test('names the field and the expected format of an invalid value or name', async () => {
  for (const [config, details] of [
    [{ image: '//' }, 'config.image: expected the name of an image, such as ghcr.io/team/weather:1.2'],
    [{ env_vars: { '9X': 'hush' } }, 'config.env_vars.9X: expected letters, digits and "_", not starting'],
    [{ auth: { provider: 'openid', issuer: 'x' } }, 'config.auth.issuer: expected a URL such as'],
  ] as const) {
    const answer = await daemon.api('POST', '/v1/deploy', {
      body: { mcp_id: mcpId, environment: 'staging', config },
    })
    expect([answer.status, answer.body.error.details]).toEqual([400, expect.stringContaining(details)])
  }
})

test('names every variable with an invalid name', async () => {
  const body = { variables: { '9X': 'a', 'B C': 'b' } }
  const { body: answer } = await daemon.api('PATCH', '/v1/servers/shop/env/staging', { body })
  expect(answer.error.details).toMatch(/^variables\.9X: names must .*; variables\.B C: names must /)
})

test('rejects a repository URL that git cannot clone', async () => {
  const create = (repositoryUrl: string) =>
    daemon.api('POST', '/api/projects', { body: { name: uniqueName('p'), repositoryUrl } })
  for (const url of [
    'https://github.com/team/repo.git',
    'ssh://git@github.com/team/repo',
    'git://host/repo',
    'git@github.com:team/repo.git',
  ])
    expect((await create(url)).status, url).toBe(201)
  for (const url of ['notaurl', 'javascript:alert(1)', 'file:///etc/passwd', 'https://', 'git@host: a b'])
    expect((await create(url)).status, url).toBe(400)
})

test('the phase of a log is case-insensitive, and an unknown phase is rejected', async () => {
  const { deployment_id } = await deploy(daemon, mcpId)
  const logs = (phase: string) => get(`/api/lambda-deploy/${deployment_id}/logs?phase=${phase}`)
  expect((await logs('run')).status).toBe(200)
  const refused = await logs('BOGUS')
  expect([refused.status, refused.body.error.details]).toEqual([
    400,
    expect.stringMatching(/^phase: .*QUEUED/),
  ])
})

test('lists deployments in pages, newest first, by filter', async () => {
  const mcpId = await buildServer(daemon, echoServer('paged'))
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await deploy(daemon, mcpId, 'staging')).deployment_id)
  const first = await daemon.api('GET', '/v1/deploy?name=paged&limit=2')
  const second = await daemon.api(
    'GET',
    `/v1/deploy?name=paged&limit=2&cursor=${first.body.data.next_cursor}`,
  )
  const items = [...first.body.data.items, ...second.body.data.items]
  expect(items.map(each => each.deployment_id)).toEqual(ids)
  expect(second.body.data.next_cursor).toBeNull()
  const stopped = await daemon.api('GET', '/v1/deploy?name=paged&environment=staging&status=stopped')
  expect(stopped.body.data.items).toHaveLength(2)
})
