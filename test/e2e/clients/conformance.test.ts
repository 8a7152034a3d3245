import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFORMANCE_SERVER } from '../../fixtures/servers/conformance.ts'
import { type Outcome, runConformance } from '../../helpers/clients/conformance.ts'
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../helpers/unique-name.ts'

/** Scenarios in which a tool sends requests to the client (sampling, elicitation, `input_required`), as only modules can. */
const NEED_A_MODULE: Record<string, string[]> = {
  '2025-11-25': [
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
    'tools-call-elicitation',
    'tools-call-sampling',
  ],
  '2026-07-28': [
    'input-required-result-basic-elicitation',
    'input-required-result-basic-list-roots',
    'input-required-result-basic-sampling',
    'input-required-result-capability-check',
    'input-required-result-multi-round',
    'input-required-result-multiple-input-requests',
    'input-required-result-non-tool-request',
    'input-required-result-request-state',
    'input-required-result-result-type',
    'input-required-result-tampered-state',
    'server-stateless',
  ],
}
/** Checks that fail only because the server has no tool that needs a client capability. */
const MODULE_STATELESS_CHECKS = [
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-rejects-undeclared-capability',
]
/** The tasks extension. No revision requires it and the suite does not score it. */
const isExtension = (scenario: string) => scenario.startsWith('tasks-')

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

/** Builds and deploys the server as a user does. Returns its public URL. */
async function deploy(environment: string, request: object = CONFORMANCE_SERVER): Promise<string> {
  const build = await daemon.api('POST', '/v1/build', { body: request })
  expect(build.body).toMatchObject({ success: true, data: { status: 'ready' } })
  const { mcp_id } = build.body.data
  const deployment = await daemon.api('POST', '/v1/deploy', { body: { mcp_id, environment } })
  expect(deployment.body).toMatchObject({ success: true, data: { status: 'deployed' } })
  return deployment.body.data.url
}

const failed = (outcome: Outcome) =>
  Object.keys(outcome)
    .filter(scenario => outcome[scenario]!.length > 0 && !isExtension(scenario))
    .sort()

/**
 * Pairwise tests: any two values of server kind, revision and environment occur together in one test. In development, declared
 * servers share a process, and every message is logged.
 */
describe('the conformance suite, against a deployed declared server', () => {
  test.each([
    ['2025-11-25', 'development'],
    ['2026-07-28', 'production'],
  ] as const)(
    'a deployed declared server passes every scenario for %s that needs no handler module, in %s',
    async (revision, environment) => {
      const outcome = await runConformance(await deploy(environment), revision)
      expect(Object.keys(outcome).length).toBeGreaterThan(30)
      expect(failed(outcome)).toEqual(NEED_A_MODULE[revision])
      expect(new Set(outcome['server-stateless'] ?? MODULE_STATELESS_CHECKS)).toEqual(
        new Set(MODULE_STATELESS_CHECKS),
      )
    },
    60_000,
  )
})

const PROJECT = fileURLToPath(new URL('../../../examples/conformance', import.meta.url))

/** Uploads the example's source and returns its build request. */
async function uploadProject(): Promise<object> {
  const project = await daemon.api('POST', '/api/projects', { body: { name: uniqueName('conformance') } })
  const source = await daemon.api('PUT', `/api/projects/${project.body.id}/source`, {
    body: execFileSync('tar', ['-czf', '-', '-C', PROJECT, '.']),
    headers: { 'content-type': 'application/gzip' },
  })
  expect(source.status, source.text).toBe(200)
  return { name: 'conformance-modules', template: 'custom', source: source.body.sourceId }
}

describe('the conformance suite, against a deployed server with handler modules', () => {
  let request: object
  beforeAll(async () => {
    request = await uploadProject()
  })

  test.each([
    { revision: '2025-11-25', scored: 30, environment: 'production' },
    { revision: '2026-07-28', scored: 37, environment: 'development' },
  ])(
    'a deployed server with handler modules passes all $scored scored scenarios for $revision, and all unscored ones except tasks, in $environment',
    async ({ revision, scored, environment }) => {
      const outcome = await runConformance(await deploy(environment, request), revision)
      expect(failed(outcome)).toEqual([])
      const passed = Object.keys(outcome).filter(scenario => !isExtension(scenario))
      expect(passed.length).toBeGreaterThanOrEqual(scored)
    },
    60_000,
  )
})
