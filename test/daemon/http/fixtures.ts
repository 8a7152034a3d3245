import { expect } from 'vitest'
import type { NewSuiteRun } from '../../../src/shared/contract/testing/suite-runs.ts'
import { tarGz } from '../../helpers/archives.ts'
import type { TestDaemon } from '../../helpers/daemon/daemon.ts'
import { uniqueName } from '../../helpers/unique-name.ts'

/** A declared server with one echoing tool. */
export function echoServer(name = 'echo', changes: Record<string, unknown> = {}) {
  return {
    name,
    template: 'basic',
    tools: [
      {
        name: 'say',
        description: 'Says it again',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
        handler: { type: 'template', text: 'You said {{ text }}' },
      },
    ],
    ...changes,
  }
}

/** Builds a server. Returns the id of the ready build. */
export async function buildServer(daemon: TestDaemon, definitions: unknown = echoServer()): Promise<string> {
  const answer = await daemon.api('POST', '/v1/build', { body: definitions })
  expect(answer.body).toMatchObject({ success: true, data: { status: 'ready' } })
  return answer.body.data.mcp_id
}

/** Deploys a build. Returns the record of the deployment. */
export async function deploy(
  daemon: TestDaemon,
  mcpId: string,
  environment = 'development',
  config?: Record<string, unknown>,
): Promise<{
  deployment_id: string
  url: string
  health_check: string
  deploy_time: number
  status: string
}> {
  const answer = await daemon.api('POST', '/v1/deploy', { body: { mcp_id: mcpId, environment, config } })
  expect(answer.body).toMatchObject({ success: true, data: { status: 'deployed' } })
  return answer.body.data
}

/** Creates a project and uploads the files as its source. Returns its id. */
export async function createProject(
  daemon: TestDaemon,
  files: Record<string, string>,
  name = uniqueName('container'),
): Promise<string> {
  const { body: project } = await daemon.api('POST', '/api/projects', { body: { name } })
  const archive = tarGz(Object.entries(files).map(([name, content]) => ({ name, content })))
  const { status } = await daemon.api('PUT', `/api/projects/${project.id}/source`, {
    body: archive,
    headers: { 'content-type': 'application/gzip' },
  })
  expect(status).toBe(200)
  return project.id
}

/** Request that stores a run of a suite with one case. */
export function suiteRun(mcpId: string, changes: Partial<NewSuiteRun> = {}): NewSuiteRun {
  const run = {
    status: 'passed' as const,
    failures: [],
    error: null,
    model: 'embedded',
    reply: 'Hello',
    seconds: 0.1,
    usage: null,
    cost: null,
    chatId: null,
    transcript: [{ role: 'user' as const, text: 'Say hello' }],
  }
  return {
    mcpId,
    suite: 'greetings',
    models: ['embedded'],
    status: 'passed',
    passed: 1,
    failed: 0,
    errors: 0,
    successRate: 1,
    threshold: 1,
    seconds: 0.1,
    totalTokens: 0,
    cost: null,
    definition: { name: 'greetings', cases: [{ name: 'greets', message: 'Say hello' }] },
    cases: [{ name: 'greets', model: 'embedded', status: 'passed', passRate: 1, threshold: 1, runs: [run] }],
    ...changes,
  }
}

/** Bodies of POST operations that pass request validation, by operation id. The records that they name do not exist. */
export const POST_BODIES: Record<string, object> = {
  createBuild: {},
  runTest: { mcp_id: 'mcp_none', message: 'hello' },
  createDeployment: { mcp_id: 'mcp_none', environment: 'development' },
  reconfigureDeployment: { config: { record_bodies: true } },
  createProject: { name: 'none' },
  createApiKey: { name: 'none', scopes: ['READ'] },
  checkApiKey: { key: 'none', method: 'GET', path: '/' },
  createSuiteRun: suiteRun('mcp_none'),
  upgradeDaemon: {},
  removeUnused: { items: [] },
  repairDaemon: {},
  replayRequest: {},
}

export async function createKey(
  daemon: TestDaemon,
  body: Record<string, unknown>,
): Promise<{ key: string; apiKeyId: string }> {
  const answer = await daemon.api('POST', '/api/keys', { body: { name: uniqueName('test'), ...body } })
  expect(answer.status).toBe(201)
  return answer.body
}
