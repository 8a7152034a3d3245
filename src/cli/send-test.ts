import type { TestResult } from '../shared/test-results.ts'
import type { TestRequest } from '../shared/test-runs.ts'
import type { CommandContext } from './command-context.ts'
import { modelAccess } from './model-access.ts'

/** Seconds of a run without a limit of its own, and what an answer may take beyond its limit. */
const DEFAULT_SECONDS = 120
const SLACK_MS = 30_000

/** One test run, waited for as long as its own limit allows. */
export async function sendTest(context: CommandContext, request: TestRequest): Promise<TestResult> {
  const api = await context.api()
  const limitMs = (request.limits?.seconds ?? DEFAULT_SECONDS) * 1000 + SLACK_MS
  const timeoutMs = Math.max(context.globals.timeout, limitMs)
  return (
    await api.request<TestResult>('POST', '/v1/test', { body: withAccess(context, request), timeoutMs })
  ).data
}

export function withAccess(context: CommandContext, request: TestRequest): TestRequest {
  const model_access = modelAccess(context)
  return model_access ? { ...request, model_access } : request
}
