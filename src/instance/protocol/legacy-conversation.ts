import { openStream } from '../http/exchange.ts'
import { type InputRequest, type InputRequired, RpcError } from '../prepared-server.ts'
import { askClient, callerSession } from './caller-session.ts'
import type { Conversation } from './conversation.ts'
import { RPC } from './json-rpc.ts'
import type { RequestContext } from './request-context.ts'
import { FIRST_WITH_PRIMING } from './revisions.ts'
import type { Run } from './run-request.ts'
import type { Session } from './sessions.ts'

/** A request of a session: what it says goes over its own stream, which outlives its connection. */
export interface LegacyRun extends Run {
  session: Session
  /** Answers to what the handler threw before, as its next run finds them. */
  rounds?: { responses: Record<string, Record<string, unknown>>; state: unknown; count: number }
}

const MAX_ROUNDS = 20
const streams = new WeakMap<Run, ReturnType<LegacyRun['exchange']['tenant']['events']['open']>>()

export const legacyConversation: Conversation = {
  /** A broken connection is not a cancellation in this era: the events are kept for the client to come back for. */
  open(run) {
    const { exchange, session } = run as LegacyRun
    const { tenant } = exchange
    if (!tenant.hasRoomForStream) return undefined
    const stream = tenant.events.open(session.id)
    const sse = openStream(exchange, ['Mcp-Session-Id', session.id], () => {})
    stream.attach(sse, session.revision >= FIRST_WITH_PRIMING)
    streams.set(run, stream)
    run.deliver = body => {
      if (body !== undefined) stream.send(body)
      stream.finish()
      return body?.length ?? 0
    }
    return message => {
      tenant.log.message('out', message, session.label)
      stream.send(message)
    }
  },

  client: run => (run as LegacyRun).session.client,
  session: run => callerSession(run.exchange.tenant, (run as LegacyRun).session),

  async ask(run, method, params, _key, unwanted) {
    const { exchange, session, context } = run as LegacyRun
    const signal = unwanted ? AbortSignal.any([context.signal, unwanted]) : context.signal
    return askClient(exchange.tenant, session, method, params, () => sinkOf(context), signal)
  },

  inputResponses: run => (run as LegacyRun).rounds?.responses,
  requestState: run => (run as LegacyRun).rounds?.state,

  closeStream(run, retryMs) {
    const { session, context } = run as LegacyRun
    // Older clients do not come back.
    if (session.revision >= FIRST_WITH_PRIMING && context.openSink()) streams.get(run)?.detach(retryMs)
  },
}

/** Requests of a batch are answered together, in one JSON text: they have no stream to ask on. */
export const batchConversation: Conversation = {
  ...legacyConversation,
  open: () => undefined,
  async ask(_run, method) {
    throw new RpcError(RPC.invalidRequest, `${method} cannot be asked in a batch of requests`)
  },
  closeStream: () => {},
}

/** Asks on the call's stream what the handler wants to know; resolves when it can be run anew. */
export async function answerRounds(run: LegacyRun, { requests, state }: InputRequired): Promise<void> {
  const { exchange, session, context } = run
  const count = (run.rounds?.count ?? 0) + 1
  if (count > MAX_ROUNDS)
    throw new RpcError(RPC.internalError, `The call asked its client more than ${MAX_ROUNDS} times`)
  const ask = async ([key, { method, params }]: [string, InputRequest]) =>
    [
      key,
      await askClient(exchange.tenant, session, method, params, () => sinkOf(context), context.signal),
    ] as const
  const responses = Object.fromEntries(await Promise.all(Object.entries(requests).map(ask)))
  run.rounds = { responses, state, count }
}

function sinkOf(context: RequestContext): (message: string) => void {
  const sink = context.openSink()
  if (!sink) throw new RpcError(RPC.refused, 'Too many open streams to ask the client; try again later')
  return sink
}
