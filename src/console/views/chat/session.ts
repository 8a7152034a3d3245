import { type Signal, signal } from '@preact/signals'
import { readEvents } from '../../../shared/api/event-stream.ts'
import type { TestEvent, TestResult } from '../../../shared/contract/testing/test-results.ts'
import type { TestRequest } from '../../../shared/contract/testing/test-runs.ts'
import { type ErrorCode, HostingError } from '../../../shared/errors.ts'
import { chunksOf } from '../../api/chunks.ts'
import { send } from '../../api/client.ts'
import { type Exchange, type Part, withEvent } from './exchange.ts'

const MAX_ANSWER_BYTES = 64e6

/** A message that was sent from this page. */
export interface Sent {
  /** Number of the user's messages before this one. */
  index: number
  message: string
  parts: readonly Part[]
  outcome:
    | { status: 'running' }
    | { status: 'stopped' }
    | { status: 'answered'; result: TestResult }
    | { status: 'failed'; error: Error }
}

let lastKey = 0

/** Messages sent from this page in one chat. Answers continue while other views are shown. */
export class ChatSession {
  readonly key = ++lastKey
  /** Undefined until the first answer is complete. */
  readonly id: Signal<string | undefined>
  readonly sent: Signal<readonly Sent[]> = signal([])
  /** Text that was typed but not sent. */
  readonly draft: Signal<string> = signal('')
  #controller = new AbortController()

  constructor(id?: string) {
    this.id = signal(id)
  }

  get isRunning(): boolean {
    return this.sent.value.at(-1)?.outcome.status === 'running'
  }

  /** A message that was not answered is not part of the chat, so the next one replaces it. */
  async send(request: TestRequest, index: number): Promise<void> {
    const controller = new AbortController()
    this.#controller = controller
    const answered = this.sent.peek().filter(({ outcome }) => outcome.status === 'answered')
    this.sent.value = [
      ...answered,
      { index, message: request.message, parts: [], outcome: { status: 'running' } },
    ]
    try {
      await this.#follow({ ...request, chat_id: this.id.peek() }, controller.signal)
    } catch (error) {
      const isStopped = controller.signal.aborted
      this.#change({
        outcome: isStopped ? { status: 'stopped' } : { status: 'failed', error: toError(error) },
      })
    }
  }

  stop(): void {
    this.#controller.abort()
  }

  async #follow(body: TestRequest, signal: AbortSignal): Promise<void> {
    const response = await send('POST', '/v1/test', {
      body,
      headers: { accept: 'text/event-stream' },
      signal,
    })
    for await (const event of readEvents<TestEvent>(chunksOf(response, MAX_ANSWER_BYTES))) {
      this.#change({ parts: withEvent(this.sent.peek().at(-1)!.parts, event) })
      if (event.type === 'error') throw failureOf(event.error)
      if (event.type === 'result') return this.#finish(event.result)
    }
    throw lostConnection()
  }

  #finish(result: TestResult): void {
    this.#change({ outcome: { status: 'answered', result } })
    if (this.id.peek() !== undefined || result.chat_id === undefined) return
    sessions.set(result.chat_id, this)
    this.id.value = result.chat_id
  }

  #change(change: Partial<Sent>): void {
    const all = this.sent.peek()
    this.sent.value = [...all.slice(0, -1), { ...all.at(-1)!, ...change }]
  }
}

function failureOf({ code, message, details }: { code: string; message: string; details?: string }) {
  return new HostingError(code as ErrorCode, message, { details })
}

/** The browser reports a broken stream as an error without an explanation. */
export function toError(error: unknown): HostingError {
  return error instanceof HostingError ? error : lostConnection(error)
}

function lostConnection(cause?: unknown): HostingError {
  return new HostingError('UNAVAILABLE', 'The connection was lost before the answer was complete.', { cause })
}

const sessions = new Map<string, ChatSession>()

/** Returns the same session of a chat for as long as the page is open. */
export function sessionOf(id: string): ChatSession {
  const known = sessions.get(id)
  if (known) return known
  const created = new ChatSession(id)
  sessions.set(id, created)
  return created
}

export function forgetSession(id: string): void {
  sessions.get(id)?.stop()
  sessions.delete(id)
}

/** Session of the new chat, which is stored once its first answer is complete. */
export const newSession = signal(new ChatSession())

/** Starts a new chat. A chat whose answer is still running joins the earlier chats once the answer is complete. */
export function startOver(): void {
  newSession.value = new ChatSession()
}

/** An exchange as the page shows it. `sent` is set if it was sent from this page. */
export interface ShownExchange extends Exchange {
  sent?: Sent
}

/** Stored exchanges and those sent from this page, which have more details. */
export function shownExchanges(stored: readonly Exchange[], sent: readonly Sent[]): ShownExchange[] {
  const shown: ShownExchange[] = [...stored]
  for (const one of sent) {
    const { index, message, parts } = one
    // Another client may have continued the chat at the same time.
    const isOther = stored[index] !== undefined && stored[index].message !== message
    const at = isOther ? shown.length : Math.min(index, shown.length)
    shown[at] = { id: stored[at]?.id ?? `sent-${index}`, message, parts, sent: one }
  }
  return shown
}
