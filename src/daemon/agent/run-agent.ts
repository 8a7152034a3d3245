import type { LanguageModelUsage, ModelMessage, StepResult, ToolSet } from 'ai'
import { HostingError } from '../../shared/errors.ts'
import type { McpConnection } from '../../shared/mcp-connection.ts'
import {
  DEFAULT_LIMITS,
  type TestContext,
  type TestEvent,
  type TestLimits,
  type TestRequest,
  type Usage,
} from '../../shared/test-runs.ts'
import { type Call, CallLedger } from './call-ledger.ts'
import { instructionsFor } from './instructions.ts'
import { toModelError } from './model-errors.ts'
import { HINTS_KEY, type Offer } from './offer.ts'
import { createTools } from './offer-tools.ts'
import type { OpenedModel } from './providers/open-model.ts'

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
  stoppedBy: 'turns' | 'calls' | 'tokens' | 'seconds' | null
  /** The user's message and everything that followed. */
  messages: ModelMessage[]
}

type Step = StepResult<ToolSet>

/** How often a request to a model is tried again after a fault that may pass. */
const RETRIES = 2

/**
 * One message to the model and everything that follows: calls of one turn side by side, their results and errors given
 * back, until the model answers or a limit is reached. Throws UPSTREAM_FAILED or UNAVAILABLE when the model
 * fails, CANCELLED when `signal` aborts.
 */
export async function runAgent(run: AgentRun): Promise<AgentOutcome> {
  const limits = { ...DEFAULT_LIMITS, ...run.limits }
  const timeoutMs = limits.seconds * 1000
  const ledger = new CallLedger(limits.calls, run.tell)
  const { tools, hints } = await createTools({
    connection: run.connection,
    offer: run.offer,
    ledger,
    meta: run.context ? { 'mcp-hosting/context': run.context } : {},
    timeoutMs,
    takesImages: run.model.takesImages,
    ...(run.check ? { check: run.check } : {}),
  })
  // Unsupported settings are a vendor's business; the log is for faults of ours.
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { streamText } = await import('ai')
  const deadline = AbortSignal.timeout(timeoutMs)
  const asked: ModelMessage = { role: 'user', content: run.message }
  const progress: Progress = { steps: [], text: '' }
  const spent = () => addUsage(progress.steps).total_tokens >= limits.tokens
  const stream = streamText({
    model: run.model.model,
    instructions: instructionsFor(run.offer, run.context),
    messages: [...run.history, asked],
    tools,
    providerOptions: { ...run.model.providerOptions, [HINTS_KEY]: hints as never },
    temperature: run.settings?.temperature,
    seed: run.settings?.seed,
    maxOutputTokens: run.settings?.max_output_tokens,
    maxRetries: RETRIES,
    streamRetries: RETRIES,
    abortSignal: AbortSignal.any([run.signal, deadline]),
    stopWhen: [({ steps }) => steps.length >= limits.turns, () => ledger.exceeded, spent],
    prepareStep: ({ stepNumber }) => {
      ledger.turn = stepNumber + 1
      return undefined
    },
    onStepEnd: step => void progress.steps.push(step as Step),
    onError: () => {}, // Errors come as a part of the stream as well.
  })
  const ended = await follow(stream.stream, progress, ledger, run).catch(error => {
    throw toModelError(error, run.model.name)
  })
  if (run.signal.aborted) throw new HostingError('CANCELLED', 'The test run was cancelled.')
  if (ended === 'end') requireWhole(progress, run.model.name)
  const wantsMore = progress.steps.at(-1)?.finishReason === 'tool-calls'
  const stoppedBy = ended === 'abort' ? 'seconds' : wantsMore ? reasonOf(ledger, spent()) : null
  return {
    reply: progress.text.trim(),
    calls: ledger.calls,
    usage: addUsage(progress.steps),
    turns: progress.steps.length,
    stoppedBy,
    messages: [asked, ...progress.steps.flatMap(step => step.response.messages)],
  }
}

interface Progress {
  /** Steps that are over. */
  steps: Step[]
  /** Of the turn that answers: what a model says beside its calls is no answer. */
  text: string
}

type Parts = ReturnType<typeof import('ai').streamText>['stream']

async function follow(
  parts: Parts,
  progress: Progress,
  ledger: CallLedger,
  { tell }: AgentRun,
): Promise<'end' | 'abort'> {
  const known = () => new Set(ledger.calls.map(({ id }) => id))
  for await (const part of parts) {
    switch (part.type) {
      case 'start-step':
        progress.text = ''
        break
      case 'text-delta':
        progress.text += part.text
        tell({ type: 'text', text: part.text })
        break
      case 'tool-error':
        // Unknown tools and arguments that are no JSON: the model is told, and no call was made.
        if (!known().has(part.toolCallId))
          ledger.reject(
            { id: part.toolCallId, name: part.toolName, arguments: part.input },
            messageOf(part.error),
          )
        break
      case 'abort':
        return 'abort'
      case 'error':
        throw part.error
    }
  }
  return 'end'
}

/** A stream may end in the middle without any error: some proxies close what takes too long. */
function requireWhole({ steps }: Progress, model: string): void {
  const reason = steps.at(-1)?.finishReason as string | undefined
  if (reason !== undefined && reason !== 'interrupted' && reason !== 'error') return
  throw new HostingError('UPSTREAM_FAILED', `The model ${model} broke off in the middle of its answer.`)
}

function reasonOf(ledger: CallLedger, spent: boolean): 'turns' | 'calls' | 'tokens' {
  if (ledger.exceeded) return 'calls'
  return spent ? 'tokens' : 'turns'
}

function addUsage(steps: readonly { usage: LanguageModelUsage }[]): Usage {
  const sum = (of: (usage: LanguageModelUsage) => number | undefined) =>
    steps.reduce((total, { usage }) => total + (of(usage) ?? 0), 0)
  const input = sum(usage => usage.inputTokens)
  const output = sum(usage => usage.outputTokens)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cached_input_tokens: sum(usage => usage.inputTokenDetails?.cacheReadTokens),
    requests: steps.length,
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
