import type { ModelMessage } from 'ai'
import { HostingError } from '../../shared/errors.ts'
import type { McpConnection } from '../../shared/mcp-connection.ts'
import type { TestEvent, TestResult, Usage } from '../../shared/test-results.ts'
import {
  DEFAULT_LIMITS,
  type TestContext,
  type TestLimits,
  type TestRequest,
} from '../../shared/test-runs.ts'
import { type Call, CallLedger } from './call-ledger.ts'
import { followStream, type Progress, type Step } from './follow-stream.ts'
import { instructionsFor } from './instructions.ts'
import { toModelError } from './model-errors.ts'
import { HINTS_KEY, type Offer } from './offer.ts'
import { createTools } from './offer-tools.ts'
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
  /** Instead of making calls: what is wrong with the arguments of one; null when nothing is. */
  check?(tool: string, args: unknown): string | null
  signal: AbortSignal
  tell(event: TestEvent): void
}

export interface AgentOutcome {
  reply: string
  calls: Call[]
  usage: Usage
  turns: number
  stoppedBy: NonNullable<TestResult['stopped_by']> | null
  /** The user's message and everything that followed. */
  messages: ModelMessage[]
}

type Limits = Required<TestLimits>

/** How often a request to a model is tried again after a fault that may pass. */
const RETRIES = 2

/**
 * One message to the model and everything that follows: calls of one turn side by side, their results and errors given
 * back, until the model answers or a limit is reached. Throws UPSTREAM_FAILED or UNAVAILABLE when the model fails,
 * CANCELLED when `signal` aborts.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...run.limits }
  const ledger = new CallLedger(limits.calls, run.tell)
  const progress: Progress = { steps: [], text: '', askedMs: performance.now() }
  const asked: ModelMessage = { role: 'user', content: run.message }
  const stream = await startStream(run, limits, ledger, progress, asked)
  const ended = await followStream(stream, progress, ledger, run.tell).catch(error => {
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
    messages: [asked, ...steps.flatMap(step => step.response.messages)],
  }
}

async function startStream(
  run: AgentRun,
  limits: Limits,
  ledger: CallLedger,
  progress: Progress,
  asked: ModelMessage,
) {
  const timeoutMs = limits.seconds * 1000
  const { connection, context, check, settings, model } = run
  const meta = context ? { 'mcp-hosting/context': context } : {}
  const surroundings = { connection, ledger, meta, timeoutMs, ...(check ? { check } : {}) }
  const { tools, hints } = await createTools(run.offer, surroundings, model.takesImages)
  // Unsupported settings are a vendor's business; the log is for faults of ours.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { streamText } = await import('./stream-text.ts')
  return streamText({
    model: model.model,
    instructions: instructionsFor(run.offer, context),
    messages: [...run.history, asked],
    tools,
    providerOptions: { ...model.providerOptions, [HINTS_KEY]: hints as never },
    temperature: settings?.temperature,
    seed: settings?.seed,
    maxOutputTokens: settings?.max_output_tokens,
    maxRetries: RETRIES,
    streamRetries: RETRIES,
    abortSignal: AbortSignal.any([run.signal, AbortSignal.timeout(timeoutMs)]),
    stopWhen: ({ steps }) => steps.length >= limits.turns || ledger.exceeded || isSpent(steps, limits),
    prepareStep: ({ stepNumber }) => {
      ledger.turn = stepNumber + 1
      return undefined
    },
    onStepEnd: step => void progress.steps.push(step as Step),
    onError: () => {}, // Errors come as a part of the stream as well.
  }).stream
}

/**
 * A vendor that is silent for half of the time is at fault, and that is no result. And a stream may end in the middle without any error: some proxies close
 * what takes too long.
 */
function requireAnswered(ended: 'end' | 'abort', progress: Progress, model: string, limits: Limits): void {
  if (ended === 'abort') {
    const silentMs = progress.askedMs === undefined ? 0 : performance.now() - progress.askedMs
    if (silentMs < (limits.seconds * 1000) / 2) return
    throw new HostingError('UNAVAILABLE', `The model ${model} said nothing within ${limits.seconds} s.`)
  }
  const reason = progress.steps.at(-1)?.finishReason as string | undefined
  if (reason !== undefined && reason !== 'interrupted' && reason !== 'error') return
  throw new HostingError('UPSTREAM_FAILED', `The model ${model} broke off in the middle of its answer.`)
}

/** Null when the model had said all that it wanted to. */
function limitReached(steps: Step[], ledger: CallLedger, limits: Limits): AgentOutcome['stoppedBy'] {
  if (steps.at(-1)?.finishReason !== 'tool-calls') return null
  if (ledger.exceeded) return 'calls'
  return isSpent(steps, limits) ? 'tokens' : 'turns'
}

function isSpent(steps: Parameters<typeof addUsage>[0], limits: Limits): boolean {
  return addUsage(steps).total_tokens >= limits.tokens
}
