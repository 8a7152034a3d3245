import { type Signal, signal } from '@preact/signals'
import type { Entry } from '../../../mcp/catalog.ts'
import type { McpConnection } from '../../../mcp/connection.ts'
import {
  isObject,
  McpError,
  type McpRequest,
  type Params,
  type Question,
  textOf,
} from '../../../mcp/messages.ts'

export type Outcome =
  | { status: 'running' }
  | { status: 'answered'; result: Params; durationMs: number; size: number }
  | { status: 'failed'; error: Error; durationMs: number }
  | { status: 'cancelled'; durationMs: number }

export interface Progress {
  progress: number
  total: number | undefined
  message: string | undefined
}

export interface LogMessage {
  level: string
  logger: string | undefined
  data: unknown
}

/** A question that waits for the user. */
export interface OpenQuestion extends Question {
  id: number
  answer(result: Params): void
  /** Rejects the request, without an answer. */
  refuse(): void
}

/** One use of a tool, resource, template or prompt, with its progress so far. */
export interface Call {
  id: number
  entry: Entry
  args: Params
  /** Name of the tool whose app made the call. Undefined for a call of the user. */
  byApp?: string | undefined
  /** What the environment served: `v3`, or the id of a build in the preview. */
  served?: string | undefined
  startedAt: number
  outcome: Signal<Outcome>
  progress: Signal<Progress | undefined>
  logs: Signal<readonly LogMessage[]>
  questions: Signal<readonly OpenQuestion[]>
  cancel(): void
}

const MAX_CALLS = 50
const MAX_CHARACTERS = 64e6
/** A server could log forever. Only the newest messages are kept. */
const MAX_LOGS = 500

let lastId = 0

/** Sends a request. The outcome changes once, when the request has ended. */
export function startCall(
  connection: McpConnection,
  sent: Omit<McpRequest, 'signal'>,
  facts: Pick<Call, 'entry' | 'args' | 'byApp' | 'served'>,
): { call: Call; ended: Promise<void> } {
  const controller = new AbortController()
  const call: Call = {
    ...facts,
    id: ++lastId,
    startedAt: Date.now(),
    outcome: signal<Outcome>({ status: 'running' }),
    progress: signal<Progress | undefined>(undefined),
    logs: signal<readonly LogMessage[]>([]),
    questions: signal<readonly OpenQuestion[]>([]),
    cancel: () => controller.abort(),
  }
  return { call, ended: perform(connection, sent, call, controller.signal) }
}

async function perform(
  connection: McpConnection,
  sent: Omit<McpRequest, 'signal'>,
  call: Call,
  aborted: AbortSignal,
): Promise<void> {
  const started = performance.now()
  const request: McpRequest = {
    ...sent,
    signal: aborted,
    onNotification: (method, params) => receive(call, method, params),
    onQuestion: question => ask(call, question, aborted),
  }
  const outcome = await connection.request(request).then(
    result => ({ status: 'answered' as const, result, size: JSON.stringify(result).length }),
    (error: Error) =>
      aborted.aborted ? { status: 'cancelled' as const } : { status: 'failed' as const, error },
  )
  call.questions.value = []
  call.outcome.value = { ...outcome, durationMs: performance.now() - started }
}

function receive({ progress, logs }: Call, method: string, params: Params): void {
  if (method === 'notifications/progress') {
    const { progress: done, total, message } = params
    if (typeof done !== 'number') return
    progress.value = {
      progress: done,
      total: typeof total === 'number' && total > 0 ? total : undefined,
      message: textOf(message),
    }
  }
  if (method === 'notifications/message') {
    const message = {
      level: textOf(params.level) ?? 'unknown',
      logger: textOf(params.logger),
      data: params.data,
    }
    logs.value = [...logs.peek().slice(1 - MAX_LOGS), message]
  }
}

/** Waits until the user answers or refuses, or the call is cancelled. */
async function ask({ questions }: Call, question: Question, aborted: AbortSignal): Promise<Params> {
  const { promise, resolve, reject } = Promise.withResolvers<Params>()
  const refuse = () => reject(new Error('The user refused the request.'))
  const open: OpenQuestion = { ...question, id: ++lastId, answer: resolve, refuse }
  questions.value = [...questions.peek(), open]
  aborted.addEventListener('abort', refuse)
  try {
    return await promise
  } finally {
    aborted.removeEventListener('abort', refuse)
    questions.value = questions.peek().filter(one => one !== open)
  }
}

/** Calls to keep, newest first. Older ones are removed, because results can be large. A running call is always kept. */
export function recentCalls(calls: readonly Call[]): readonly Call[] {
  let size = 0
  return calls.filter(({ outcome }, index) => {
    const ended = outcome.peek()
    if (ended.status === 'answered') size += ended.size
    return ended.status === 'running' || index === 0 || (index < MAX_CALLS && size <= MAX_CHARACTERS)
  })
}

/** Error message from the server for a request that it refused. */
export function refusalOf(outcome: Outcome): string | undefined {
  if (outcome.status === 'failed')
    return outcome.error instanceof McpError ? outcome.error.message : undefined
  if (outcome.status !== 'answered' || outcome.result.isError !== true) return undefined
  const { content } = outcome.result
  const blocks = Array.isArray(content) ? content : []
  return textOf(blocks.find(block => isObject(block) && block.type === 'text')?.text)
}
