import type { ModelMessage } from 'ai'
import type { TestEvent, TestResult, Usage } from '../../shared/contract/testing/test-results.ts'
import {
  DEFAULT_LIMITS,
  type TestContext,
  type TestLimits,
  type TestRequest,
} from '../../shared/contract/testing/test-runs.ts'
import { HostingError } from '../../shared/errors.ts'
import type { McpConnection } from '../../shared/mcp-client/connect.ts'
import { type Call, CallLedger } from './calls/call-ledger.ts'
import { followStream, type Progress, type Step } from './follow-stream.ts'
import { instructionsFor } from './instructions.ts'
import { toModelError } from './model-errors.ts'
import { HINTS_KEY, type Offer } from './offer/offer.ts'
import { createTools } from './offer/offer-tools.ts'
import type { OpenedModel } from './providers/open-model.ts'
import { addUsage } from './token-usage.ts'

export interface AgentRun {
  model: OpenedModel
  connection: McpConnection
  offer: Offer
  /** The conversation so far. */
  history: ModelMessage[]
  message: string
  context?: TestContext
  limits?: TestLimits
  settings?: TestRequest['settings']
  /** Used instead of making calls. Returns the error in a call's arguments, or null. */
  check?(tool: string, args: unknown): string | null
  signal: AbortSignal
  onEvent(event: TestEvent): void
}

export interface AgentOutcome {
  reply: string
  calls: Call[]
  usage: Usage
  turns: number
  stoppedBy: NonNullable<TestResult['stopped_by']> | null
  /** The user's message and all later messages. */
  messages: ModelMessage[]
}

type Limits = Required<TestLimits>

/** Retries of a model request after a temporary error. */
const RETRIES = 2

/**
 * Sends a message to the model, makes the calls of each turn in parallel and returns their results to the model, until the
 * model answers or a limit is reached. Throws UPSTREAM_FAILED or UNAVAILABLE when the model fails, and CANCELLED when
 * `signal` aborts.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...run.limits }
  const ledger = new CallLedger(limits.calls, run.onEvent)
  const progress: Progress = { steps: [], text: '', askedMs: performance.now() }
  const question: ModelMessage = { role: 'user', content: run.message }
  const stream = await startStream(run, limits, ledger, progress, question)
  const ended = await followStream(stream, progress, ledger, run.onEvent).catch(error => {
    throw toModelError(error, run.model.name)
  })
  if (run.signal.aborted) throw new HostingError('CANCELLED', 'The test run was cancelled.')
  requireAnswered(ended, progress, run.model.name, limits)
  const { steps } = progress
  return {
    reply: progress.text.trim(),
    calls: ledger.calls,
    usage: addUsage(steps),
    turns: steps.length,
    stoppedBy: ended === 'abort' ? 'seconds' : limitReached(steps, ledger, limits),
    messages: [question, ...steps.flatMap(step => step.response.messages)],
  }
}

async function startStream(
  run: AgentRun,
  limits: Limits,
  ledger: CallLedger,
  progress: Progress,
  question: ModelMessage,
) {
  const timeoutMs = limits.seconds * 1000
  const { connection, context, check, settings, model } = run
  const meta = context ? { 'mcp-hosting/context': context } : {}
  const callContext = { connection, ledger, meta, timeoutMs, ...(check ? { check } : {}) }
  const { tools, hints } = await createTools(run.offer, callContext, model.takesImages)
  // Warnings about unsupported settings do not belong in the daemon's log.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { streamText } = await import('./stream-text.ts')
  return streamText({
    model: model.model,
    instructions: instructionsFor(run.offer, context),
    messages: [...run.history, question],
    tools,
    providerOptions: { ...model.providerOptions, [HINTS_KEY]: hints as never },
    temperature: settings?.temperature,
    seed: settings?.seed,
    maxOutputTokens: settings?.max_output_tokens,
    maxRetries: RETRIES,
    streamRetries: RETRIES,
    abortSignal: AbortSignal.any([run.signal, AbortSignal.timeout(timeoutMs)]),
    stopWhen: ({ steps }) =>
      steps.length >= limits.turns || ledger.exceeded || isOverTokenLimit(steps, limits),
    prepareStep: ({ stepNumber }) => {
      ledger.turn = stepNumber + 1
      return undefined
    },
    onStepEnd: step => void progress.steps.push(step as Step),
    onError: () => {}, // errors are also part of the stream
  }).stream
}

/**
 * Throws when the time limit aborted the run and the vendor had sent nothing for at least half of that time. Also throws when the
 * stream ended early without an error, as when a proxy closes a slow stream.
 */
function requireAnswered(ended: 'end' | 'abort', progress: Progress, model: string, limits: Limits): void {
  if (ended === 'abort') {
    const silentMs = progress.askedMs === undefined ? 0 : performance.now() - progress.askedMs
    if (silentMs < (limits.seconds * 1000) / 2) return
    throw new HostingError(
      'UNAVAILABLE',
      `The model ${model} did not respond in the last ${(silentMs / 1000).toFixed(1)} s of the run, which has a time limit of ${limits.seconds} s.`,
      { details: 'Run the test again, or raise the limit with --max-time or in "limits".' },
    )
  }
  const reason = progress.steps.at(-1)?.finishReason as string | undefined
  if (reason !== undefined && reason !== 'interrupted' && reason !== 'error') return
  throw new HostingError('UPSTREAM_FAILED', `The answer from the model ${model} was incomplete.`, {
    details: 'The vendor or a proxy ended the stream early. Run the test again.',
  })
}

/** The limit that stopped the run. Null when the model had finished. */
function limitReached(steps: Step[], ledger: CallLedger, limits: Limits): AgentOutcome['stoppedBy'] {
  if (steps.at(-1)?.finishReason !== 'tool-calls') return null
  if (ledger.exceeded) return 'calls'
  return isOverTokenLimit(steps, limits) ? 'tokens' : 'turns'
}

function isOverTokenLimit(steps: Parameters<typeof addUsage>[0], limits: Limits): boolean {
  return addUsage(steps).total_tokens >= limits.tokens
}
