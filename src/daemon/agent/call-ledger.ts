import { toSeconds } from '../../shared/duration.ts'
import type { TestEvent, TestResult } from '../../shared/test-results.ts'

export type CallKind = 'tool' | 'resource' | 'prompt'

/** One call as it is made: of a tool, a read of a resource, a fetch of a prompt. */
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

/** What a call came to. `text` is shown to people. */
export interface CallOutcome {
  result: unknown
  text: string
  error: string | null
}

/** Of a call that was still under way when the run ended. */
const UNANSWERED = 'The run ended before it was answered.'

/** Every call of a run, in the order in which they began, and the limit on their number. */
export class CallLedger {
  readonly calls: Call[] = []
  readonly #limit: number
  readonly #tell: (event: TestEvent) => void
  turn = 1
  /** More calls were asked for than the limit allows. */
  exceeded = false

  constructor(limit: number, tell: (event: TestEvent) => void) {
    this.#limit = limit
    this.#tell = tell
  }

  /** Does `work` and writes down what came of it; it is not done when the limit is reached. Never throws. */
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
    const record: Call = { ...call, turn: this.turn, result: null, error: UNANSWERED, seconds: 0 }
    this.calls.push(record)
    this.#tell({ type: 'call', id: call.id, kind: call.kind, name: call.name, arguments: call.arguments })
    const startedMs = performance.now()
    const outcome = await work().catch(toFailure)
    const seconds = toSeconds(performance.now() - startedMs)
    Object.assign(record, { result: outcome.result, error: outcome.error, seconds })
    this.#tell({ type: 'answer', id: call.id, error: outcome.error, text: outcome.text, seconds })
    return outcome
  }

  has(id: string): boolean {
    return this.calls.some(call => call.id === id)
  }

  /** A call that the model asked for and that could not even be begun. */
  reject(call: Pick<Call, 'id' | 'name' | 'arguments'>, error: string): void {
    void this.run({ ...call, kind: 'tool' }, async () => ({ result: null, text: '', error }))
  }
}

/** The contract's view of the calls, and the extensions'. */
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
