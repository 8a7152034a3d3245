import { expect, test } from 'vitest'
import { echoServer, suiteRun } from '../daemon/http/fixtures.ts'
import { tarGz } from '../helpers/archives.ts'
import { uniqueName } from '../helpers/unique-name.ts'
import { type Call, type Contract, deployBody } from './contract.ts'

/** Tests every operation on a record with `If-Match` or `If-None-Match`. */
export function testPreconditions(contract: Contract): void {
  const call: Call = (...input) => contract.api.call(...input)
  const described = (status: number) =>
    contract.api.operations.filter(({ spec }) => spec.responses[status] && spec.operationId !== 'getOpenApi')

  test('returns 412 for a record that has changed since the client read it', async () => {
    const records = await createRecords(call)
    for (const { spec } of described(412)) {
      const input = {
        headers: { 'if-match': '"another"', ...typeOf(spec) },
        ...bodyOf(spec.operationId, records),
      }
      const answer = await call(spec.operationId, paramsOf(spec.operationId, records), input)
      expect([answer.status, answer.body.error.code], spec.operationId).toEqual([412, 'PRECONDITION_FAILED'])
    }
  })

  test('returns 304 for a record that the client already has', async () => {
    const records = await createRecords(call)
    for (const { spec } of described(304)) {
      const params = paramsOf(spec.operationId, records)
      const ask = async () => {
        const { headers } = await call(spec.operationId, params)
        expect(headers.etag, spec.operationId).toMatch(/^"[\w-]{22}"$/)
        return (await call(spec.operationId, params, { headers: { 'if-none-match': headers.etag! } })).status
      }
      // A stopped build may still write its last phase.
      await expect.poll(ask, { message: spec.operationId }).toBe(304)
    }
  })
}

type Records = Record<'build' | 'deployment' | 'project' | 'container' | 'chat' | 'suiteRun' | 'key', string>

async function createRecords(call: Call): Promise<Records> {
  const { body: built } = await call('createBuild', {}, { body: echoServer('conditions') })
  const build = built.data.mcp_id
  const { body: deployed } = await call('createDeployment', {}, { body: deployBody(build) })
  const { body: project } = await call('createProject', {}, { body: { name: uniqueName('conditions') } })
  const source = tarGz([{ name: 'mcp.config.json', content: JSON.stringify(echoServer('conditions')) }])
  const upload = { body: source, headers: { 'content-type': 'application/gzip' } }
  await call('putProjectSource', { id: project.id }, upload)
  const { body: container } = await call('triggerContainerBuild', { projectId: project.id })
  await call('stopContainerBuild', { id: container.id })
  const { body: tested } = await call('runTest', {}, { body: { mcp_id: build, message: 'call say with hi' } })
  const { body: key } = await call(
    'createApiKey',
    {},
    { body: { name: uniqueName('conditions'), scopes: ['READ'] } },
  )
  const { body: stored } = await call('createSuiteRun', {}, { body: suiteRun(build) })
  const deployment = deployed.data.deployment_id
  await call('putMapping', { subdomain: 'conditions' }, { body: { deploymentId: deployment } })
  return {
    build,
    deployment,
    project: project.id,
    container: container.id,
    chat: tested.data.chat_id,
    suiteRun: stored.id,
    key: key.apiKeyId,
  }
}

function paramsOf(operationId: string, records: Records): Record<string, string> {
  const kind = (['Project', 'ContainerBuild', 'SuiteRun', 'ApiKey'] as const).find(name =>
    operationId.includes(name),
  )
  const ids = {
    Project: records.project,
    ContainerBuild: records.container,
    SuiteRun: records.suiteRun,
    ApiKey: records.key,
    '': '',
  }
  const id = ids[kind ?? '']
  const { build, deployment, chat } = records
  return {
    id,
    mcp_id: build,
    deployment_id: deployment,
    chatId: chat,
    subdomain: 'conditions',
    vendor: 'openai',
  }
}

function bodyOf(operationId: string, { deployment }: Records): { body?: unknown } {
  if (operationId === 'putMapping') return { body: { deploymentId: deployment } }
  if (operationId === 'saveModelKey') return { body: { apiKey: 'x' } }
  if (operationId === 'reconfigureDeployment') return { body: { config: { log_level: 'debug' } } }
  if (operationId === 'changeServerEnv') return { body: { variables: { A: 'x' } } }
  if (operationId === 'updateProject') return { body: { name: 'x' } }
  if (operationId === 'putProjectSource') return { body: Buffer.from('x') }
  return {}
}

// biome-ignore lint/suspicious/noExplicitAny: an operation has no static type
function typeOf({ requestBody }: any): Record<string, string> {
  return requestBody?.content['application/gzip'] ? { 'content-type': 'application/gzip' } : {}
}
