import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CONFORMANCE_SERVER } from '../fixtures/servers/conformance.ts'
import { type Outcome, runConformance } from '../helpers/conformance.ts'
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts'

/**
 * The scenarios that ask the client something in the middle of a call (sampling, elicitation, `input_required`), for which a
 * server needs code of its own.
 */
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
/** All that this one scenario misses is a tool that needs a capability of its client. */
const STATELESS_CHECKS_OF_A_MODULE = [
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-rejects-undeclared-capability',
]
/** The tasks extension, which no revision requires and the suite does not score. */
const isExtension = (scenario: string) => scenario.startsWith('tasks-')

let daemon: TestDaemon

beforeAll(async () => {
  daemon = await startTestDaemon()
})
afterAll(() => daemon.close())

/** The public URL of the server, built and deployed as a user does it. */
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

describe('the conformance suite, against a deployed declared server', () => {
  test.each(Object.keys(NEED_A_MODULE))(
    'passes every scenario of %s but those that need a module handler',
    async revision => {
      const outcome = await runConformance(await deploy('production'), revision)
      expect(Object.keys(outcome).length).toBeGreaterThan(30)
      expect(failed(outcome)).toEqual(NEED_A_MODULE[revision])
      expect(new Set(outcome['server-stateless'] ?? STATELESS_CHECKS_OF_A_MODULE)).toEqual(
        new Set(STATELESS_CHECKS_OF_A_MODULE),
      )
    },
    60_000,
  )

  test('passes them in a host that it shares with other servers, where every message is logged', async () => {
    const outcome = await runConformance(await deploy('development'), '2025-11-25')
    expect(failed(outcome)).toEqual(NEED_A_MODULE['2025-11-25'])
  }, 60_000)
})

const PROJECT = fileURLToPath(new URL('../../examples/conformance', import.meta.url))

/** Uploads the example's source; gives the request that builds it. */
async function uploadProject(): Promise<object> {
  const project = await daemon.api('POST', '/api/projects', { body: { name: 'conformance' } })
  const source = await daemon.api('PUT', `/api/projects/${project.body.id}/source`, {
    body: execFileSync('tar', ['-czf', '-', '-C', PROJECT, '.']),
    headers: { 'content-type': 'application/gzip' },
  })
  expect(source.status, source.text).toBe(200)
  return { name: 'conformance-modules', template: 'custom', source: source.body.sourceId }
}

describe('the conformance suite, against a deployed server of handler modules', () => {
  let request: object
  beforeAll(async () => {
    request = await uploadProject()
  })

  test.each([
    { revision: '2025-11-25', scored: 30 },
    { revision: '2026-07-28', scored: 37 },
  ])(
    'passes all $scored scenarios of $revision, and those that are not scored yet',
    async ({ revision, scored }) => {
      const outcome = await runConformance(await deploy('production', request), revision)
      expect(failed(outcome)).toEqual([])
      const passed = Object.keys(outcome).filter(scenario => !isExtension(scenario))
      expect(passed.length).toBeGreaterThanOrEqual(scored)
    },
    60_000,
  )

  test('passes them where every message is logged', async () => {
    const outcome = await runConformance(await deploy('development', request), '2026-07-28')
    expect(failed(outcome)).toEqual([])
  }, 60_000)
})
