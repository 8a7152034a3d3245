import type { TestEvent, TestResult } from '../shared/test-results.ts'
import type { TestRequest } from '../shared/test-runs.ts'
import type { CommandContext } from './command-context.ts'
import { withAccess } from './send-test.ts'

/** One message of a conversation with its answer. */
export interface Exchange {
  message: string
  result: TestResult
}

/** A conversation with the agent: each message goes on where the last one ended. */
export class ChatSession {
  readonly #context: CommandContext
  readonly #base: Omit<TestRequest, 'message' | 'chat_id'>
  exchanges: Exchange[] = []

  constructor(context: CommandContext, base: Omit<TestRequest, 'message' | 'chat_id'>) {
    this.#context = context
    this.#base = base
  }

  /** Tells what happens as it happens; the last event is the result. Throws what the run fails with. */
  async *send(message: string, signal: AbortSignal): AsyncGenerator<TestEvent> {
    const api = await this.#context.api()
    const chat_id = this.exchanges.at(-1)?.result.chat_id
    const body = withAccess(this.#context, { ...this.#base, message, ...(chat_id ? { chat_id } : {}) })
    for await (const said of api.stream<TestEvent | TestResult>('POST', '/v1/test', { body, signal })) {
      const event: TestEvent = 'type' in said ? said : { type: 'result', result: said }
      if (event.type === 'result') this.exchanges.push({ message, result: event.result })
      yield event
    }
  }

  reset(): void {
    this.exchanges = []
  }
}
