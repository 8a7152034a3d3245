import type { TestResult } from '../../shared/contract/testing/test-results.ts'
import type { TestRequest } from '../../shared/contract/testing/test-runs.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { modelAccess } from './model-access.ts'

/** Default time limit of a run in seconds, and the extra time for the response. */
const DEFAULT_SECONDS = 120
const SLACK_MS = 30_000

/** Sends one test run and waits as long as its limit allows. */
export async function sendTest(context: CommandContext, request: TestRequest): Promise<TestResult> {
  const api = await context.api()
  const limitMs = (request.limits?.seconds ?? DEFAULT_SECONDS) * 1000 + SLACK_MS
  const timeoutMs = Math.max(context.globals.timeout, limitMs)
  return api.request('POST', '/v1/test', { body: withAccess(context, request), timeoutMs })
}

export function withAccess(context: CommandContext, request: TestRequest): TestRequest {
  const model_access = modelAccess(context)
  return model_access ? { ...request, model_access } : request
}
