import { expect, test } from 'vitest'
import { echoServer, suiteRun } from '../daemon/http/fixtures.ts'
import { tarGz } from '../helpers/archives.ts'
import { beginSession } from '../helpers/clients/mcp-requests.ts'
import { signInWithKey } from '../helpers/daemon/local-sign-in.ts'
import { type Contract, deployBody } from './contract.ts'
import type { OpenApiClient } from './openapi-client.ts'

/** Reads every list of the API to its end. */
export function testLists(contract: Contract): void {
  test('every list returns each record once across its pages and rejects an unknown page token', async () => {
    const { api } = contract
    await makeTwoOfEach(contract)
    const lists = api.operations.filter(({ method, spec }) => method === 'GET' && tokenOf(spec))
    expect(lists.length).toBeGreaterThan(8)
    for (const { spec } of lists) await expectPages(api, spec)
  })
}

const GZIP = { 'content-type': 'application/gzip' }

type Spec = OpenApiClient['operations'][number]['spec']

/** Name of the query parameter that asks for the next page. */
function tokenOf(spec: Spec): 'cursor' | 'nextToken' | undefined {
  const names = (spec.parameters ?? []).map(({ name }: { name?: string }) => name)
  return (['cursor', 'nextToken'] as const).find(name => names.includes(name))
}

async function expectPages(api: OpenApiClient, spec: Spec): Promise<void> {
  const { operationId } = spec
  const token = tokenOf(spec)!
  const params = await paramsOf(api, operationId)
  const read = async (query: string) => {
    const { body } = await api.call(operationId, params, { query })
    const page = body.data ?? body
    const records = (page.items ?? page.lines).map(withoutTimes) as string[]
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
  const wrong = await api.call(operationId, params, { query: `${token}=none` })
  expect([wrong.status, wrong.body.error.message], operationId).toEqual([400, expect.stringContaining(token)])
  for (const limit of ['0x10', '1e1', '1.0', '%205', ''])
    expect((await api.call(operationId, params, { query: `limit=${limit}` })).status, limit).toBe(400)
}

async function makeTwoOfEach(contract: Contract): Promise<void> {
  const { api } = contract
  const { body: build } = await api.call('createBuild', {}, { body: echoServer('listed') })
  const { mcp_id } = build.data
  const { body: made } = await api.call('createDeployment', {}, { body: deployBody(mcp_id, 'production') })
  const { deployment_id: deploymentId } = made.data
  const config = { auth: { provider: 'local' } }
  const { body: guarded } = await api.call(
    'createDeployment',
    {},
    { body: deployBody(mcp_id, 'staging', config) },
  )
  const { body: status } = await api.call('getDeploymentStatus', {
    deployment_id: guarded.data.deployment_id,
  })
  await api.call('restartDeployment', { deployment_id: deploymentId })
  for (const name of ['one', 'two']) {
    await signInWithKey(status.data.sign_in.issuer, contract.daemon.ownerKey)
    await beginSession(made.data.url)
    await api.call('createApiKey', {}, { body: { name, scopes: ['READ'] } })
    const { body: project } = await api.call('createProject', {}, { body: { name } })
    const body = tarGz([{ name: 'README', content: 'nothing to build' }])
    await api.call('putProjectSource', { id: project.id }, { body, headers: GZIP })
    await api.call('putMapping', { subdomain: name }, { body: { deploymentId } })
    await api.call('runTest', {}, { body: { mcp_id, message: 'call say with hi' } })
    await api.call('createSuiteRun', {}, { body: suiteRun(mcp_id) })
  }
  const { body: projects } = await api.call('listProjects', {}, { query: 'limit=2' })
  for (const { id } of projects.items) {
    const { body } = await api.call('triggerContainerBuild', { projectId: id })
    const read = async () => (await api.call('getContainerBuild', { id: body.id })).body.status
    await expect.poll(read).toBe('failed')
  }
}

/** A record as text, without members that change between requests. */
function withoutTimes(record: unknown): string {
  const changing = ['instances', 'lastUsedAt', 'rateLimit']
  return JSON.stringify(record, (key, value) => (changing.includes(key) ? undefined : value))
}

/** Path parameters of a list that belongs to a record. */
async function paramsOf(api: OpenApiClient, operationId: string): Promise<Record<string, string>> {
  if (operationId === 'listChatMessages')
    return { chatId: (await api.call('listChats')).body.items[0].chatId }
  if (operationId === 'getContainerBuildLogs') {
    const { body } = await api.call('listContainerBuilds', {}, { query: 'status=failed' })
    return { id: body.items[0].id }
  }
  if (operationId === 'listStoreEntries') {
    const place = { name: 'listed', environment: 'production' }
    const set = ['one', 'two'].map(key => ({ key, value: 1 }))
    await api.call('changeStoreEntries', place, { body: { set } })
    return place
  }
  const ofServer = ['listReleases', 'getServerLog', 'listSessions', 'listGrants', 'listSignInClients']
  if (ofServer.includes(operationId)) return { name: 'listed' }
  const { body } = await api.call('listDeployments', {}, { query: 'environment=production' })
  return { id: body.data.items[0].deployment_id }
}
