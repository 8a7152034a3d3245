import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { buildServer, deploy } from './fixtures.ts'

/** Warnings about accepted requests. */
let daemon: TestDaemon
let mcpId: string

beforeAll(async () => {
  daemon = await startTestDaemon()
  mcpId = await buildServer(daemon)
})

afterAll(() => daemon.close())

async function warningsOf(
  environment: string,
  config: Record<string, unknown>,
): Promise<string[] | undefined> {
  const record: { deployment_id: string; warnings?: string[] } = await deploy(
    daemon,
    mcpId,
    environment,
    config,
  )
  const status = await daemon.api('GET', `/v1/deploy/${record.deployment_id}/status`)
  expect(status.body.data.warnings).toEqual(record.warnings)
  return record.warnings
}

test('warns about scaling that the environment does not apply', async () => {
  const scaling = { min_instances: 3, max_instances: 5 }
  expect(await warningsOf('staging', { scaling })).toEqual([
    'config.scaling is not applied: 3 to 5 instances were requested, but staging runs 0 to 1. Only production scales as configured.',
  ])
  expect(await warningsOf('production', { scaling: { min_instances: 1, max_instances: 2 } })).toBeUndefined()
  expect(await warningsOf('staging', {})).toBeUndefined()
})

test('warns about undeclared variables without showing their values', async () => {
  const warnings = await warningsOf('development', { env_vars: { REGION: 'top-secret' } })
  expect(warnings).toEqual([
    expect.stringMatching(/^config\.env_vars is not applied, because .* cannot read REGION\./),
  ])
  expect(warnings!.join()).not.toContain('top-secret')
})

test('warns about a memory limit in a shared process', async () => {
  expect(await warningsOf('staging', { limits: { memory_mb: 64 } })).toEqual([
    expect.stringMatching(/^config\.limits\.memory_mb is not applied/),
  ])
  expect(await warningsOf('production', { limits: { memory_mb: 256 } })).toBeUndefined()
})

test('builds an empty server with a warning', async () => {
  const body = { name: 'empty', template: 'basic' }
  const answer = await daemon.api('POST', '/v1/build', { body })
  expect([answer.status, answer.body.data]).toEqual([
    201,
    expect.objectContaining({
      status: 'ready',
      warnings: ['The server offers no tools, resources or prompts.'],
    }),
  ])
  expect((await daemon.api('GET', `/v1/build/${mcpId}`)).body.data).not.toHaveProperty('warnings')
})

test('warns only when the embedded model replaced the default model', async () => {
  const run = (fields = {}) =>
    daemon.api('POST', '/v1/test', { body: { mcp_id: mcpId, message: 'call say with hi', ...fields } })
  expect((await run()).body.data.warnings).toEqual([
    expect.stringContaining('there is no key for claude-sonnet-4-5'),
  ])
  expect((await run({ ai_model: 'embedded' })).body.data).not.toHaveProperty('warnings')
})

test('the error for an invalid program type names all types', async () => {
  const body = { name: 'a', template: 'custom', program: { type: 'command', command: 'node' } }
  const { body: answer } = await daemon.api('POST', '/v1/build', { body })
  expect(answer.error.details).toBe('program.type: "command" is not one of "stdio", "http", "image"')
  const missing = { ...body, program: { type: 'stdio', comand: 'node' } }
  const { body: other } = await daemon.api('POST', '/v1/build', { body: missing })
  expect(other.error.details).toContain('did you mean "command"?')
})
