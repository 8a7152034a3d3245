import { openStream } from '../../http/responses.ts'
import type { InputRequest, InputRequired } from '../../server/input-required.ts'
import { RPC, RpcError } from '../json-rpc.ts'
import { FIRST_WITH_PRIMING } from '../revisions.ts'
import type { Run, RunContext, SideChannel } from '../run.ts'
import { askClient, callerSession } from './caller-session.ts'
import type { Session } from './session.ts'

/** A request in a session. Its messages go over its own stream, which survives a broken connection. */
export interface LegacyRun extends Run {
  session: Session
  /** Answers to the questions from the previous run. */
  rounds?: { responses: Record<string, Record<string, unknown>>; state: unknown; count: number }
}

const MAX_ROUNDS = 20
const streams = new WeakMap<Run, ReturnType<LegacyRun['exchange']['tenant']['events']['open']>>()

export const legacySideChannel: SideChannel = {
  /** Opens a stream. Legacy clients do not cancel by disconnecting, so the events are kept for the client to resume. */
  open(run) {
    const { exchange, session } = run as LegacyRun
    const { tenant } = exchange
    if (!tenant.hasRoomForStream) return undefined
    const stream = tenant.events.open(session.id)
    const sse = openStream(exchange, ['Mcp-Session-Id', session.id], () => {})
    stream.attach(sse, session.revision >= FIRST_WITH_PRIMING)
    streams.set(run, stream)
    run.deliver = body => {
      // First, so that V8 flattens the text only once.
      const bytes = Buffer.byteLength(body ?? '')
      if (body !== undefined) stream.send(body)
      stream.finish()
      return bytes
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
    // Older clients do not reconnect.
    if (session.revision >= FIRST_WITH_PRIMING && context.openSink()) streams.get(run)?.detach(retryMs)
  },
}

/** Requests of a batch share one JSON answer, so they have no stream for questions. */
export const batchSideChannel: SideChannel = {
  ...legacySideChannel,
  open: () => undefined,
  async ask(_run, method) {
    throw new RpcError(
      RPC.invalidRequest,
      `${method} cannot be sent to the client during a batch of requests`,
    )
  },
  closeStream: () => {},
}

/** Sends the handler's questions on the call's stream. Resolves when the handler can run again. */
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

function sinkOf(context: RunContext): (message: string) => void {
  const sink = context.openSink()
  if (!sink) throw new RpcError(RPC.refused, 'Too many open streams to ask the client. Try again later.')
  return sink
}
