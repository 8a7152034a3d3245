import type { TestEvent, TestResult } from '../../../shared/contract/testing/test-results.ts'
import { toSeconds } from '../../../shared/duration.ts'

export type CallKind = 'tool' | 'resource' | 'prompt'

/** A tool call, a resource read or a prompt fetch. */
export interface Call {
  id: string
  kind: CallKind
  /** Tool or prompt name, or URI. */
  name: string
  arguments: unknown
  turn: number
  result: unknown
  error: string | null
  seconds: number
}

/** Outcome of a call. `text` is the result as plain text. */
export interface CallOutcome {
  result: unknown
  text: string
  error: string | null
}

/** Error for a call that was still pending when the run ended. */
const UNANSWERED_ERROR = 'The run ended before the call was answered.'

/** All calls of a run in the order in which they started, up to a limit. */
export class CallLedger {
  readonly calls: Call[] = []
  readonly #limit: number
  readonly #onEvent: (event: TestEvent) => void
  turn = 1
  /** True when the model requested more calls than the limit allows. */
  exceeded = false

  constructor(limit: number, onEvent: (event: TestEvent) => void) {
    this.#limit = limit
    this.#onEvent = onEvent
  }

  /** Runs `work` and records its outcome. Does not run it when the limit is reached. Never rejects. */
  async run(
    call: Pick<Call, 'id' | 'kind' | 'name' | 'arguments'>,
    work: () => Promise<CallOutcome>,
  ): Promise<CallOutcome> {
    if (this.calls.length >= this.#limit) {
      this.exceeded = true
      return {
        result: null,
        text: '',
        error: `The limit of ${this.#limit} calls is reached; answer with what is known.`,
      }
    }
    const record: Call = { ...call, turn: this.turn, result: null, error: UNANSWERED_ERROR, seconds: 0 }
    this.calls.push(record)
    this.#onEvent({ type: 'call', id: call.id, kind: call.kind, name: call.name, arguments: call.arguments })
    const startedMs = performance.now()
    const outcome = await work().catch(toFailure)
    const seconds = toSeconds(performance.now() - startedMs)
    Object.assign(record, { result: outcome.result, error: outcome.error, seconds })
    this.#onEvent({ type: 'answer', id: call.id, error: outcome.error, text: outcome.text, seconds })
    return outcome
  }

  has(id: string): boolean {
    return this.calls.some(call => call.id === id)
  }

  /** Records a requested call that could not be made. */
  reject(call: Pick<Call, 'id' | 'name' | 'arguments'>, error: string): void {
    void this.run({ ...call, kind: 'tool' }, async () => ({ result: null, text: '', error }))
  }
}

/** The calls in the format of a test result. */
export function summarize(calls: readonly Call[]) {
  const of = (kind: CallKind) => calls.filter(call => call.kind === kind)
  const tools = of('tool')
  const worked = tools.filter(({ error }) => error === null).length
  return {
    tools_used: unique(tools.map(({ name }) => name)),
    resources_accessed: unique(
      of('resource')
        .filter(({ error }) => error === null)
        .map(({ name }) => name),
    ),
    success_rate: tools.length === 0 ? 1 : worked / tools.length,
    tool_calls: tools.map(({ name, arguments: args, result, error, seconds, turn }) => ({
      name,
      arguments: args,
      result,
      error,
      seconds,
      turn,
    })),
    resource_reads: of('resource').map(({ name, error, seconds, turn }) => ({
      uri: name,
      error,
      seconds,
      turn,
    })),
    prompts: of('prompt').map(({ name, arguments: args, error, seconds, turn }) => ({
      name,
      arguments: args as Record<string, string>,
      error,
      seconds,
      turn,
    })),
  } satisfies Partial<TestResult>
}

function unique(names: string[]): string[] {
  return [...new Set(names)]
}

function toFailure(error: unknown): CallOutcome {
  return { result: null, text: '', error: error instanceof Error ? error.message : String(error) }
}
