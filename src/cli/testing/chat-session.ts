import type { TestEvent, TestResult } from '../../shared/contract/testing/test-results.ts'
import type { TestRequest } from '../../shared/contract/testing/test-runs.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { withAccess } from './send-test.ts'

/** A message and the agent's answer. */
export interface Exchange {
  message: string
  result: TestResult
}

/** A conversation with the agent. */
export class ChatSession {
  readonly #context: CommandContext
  readonly #base: Omit<TestRequest, 'message' | 'chat_id'>
  exchanges: Exchange[] = []

  constructor(context: CommandContext, base: Omit<TestRequest, 'message' | 'chat_id'>) {
    this.#context = context
    this.#base = base
  }

  /** Streams events while the run proceeds. The last event is the result, or the error of a failed run. */
  async *send(message: string, signal: AbortSignal): AsyncGenerator<TestEvent> {
    const api = await this.#context.api()
    const chat_id = this.exchanges.at(-1)?.result.chat_id
    const body = withAccess(this.#context, { ...this.#base, message, ...(chat_id ? { chat_id } : {}) })
    for await (const received of api.stream<TestEvent | TestResult>('POST', '/v1/test', { body, signal })) {
      const event: TestEvent = 'type' in received ? received : { type: 'result', result: received }
      if (event.type === 'result') this.exchanges.push({ message, result: event.result })
      yield event
    }
  }

  reset(): void {
    this.exchanges = []
  }
}
