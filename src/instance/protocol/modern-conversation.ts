import type { LogLevel } from '../../shared/definitions.ts'
import { openStream } from '../http/exchange.ts'
import { type ClientFacts, type InputRequest, InputRequired, RpcError } from '../prepared-server.ts'
import { missingCapability, missingCapabilitySentence, requiredCapability } from './client-capabilities.ts'
import type { Conversation } from './conversation.ts'
import { META } from './envelope.ts'
import { isObject, RPC } from './json-rpc.ts'
import { type CallState, readState, signState } from './request-state.ts'
import { cancelRun, endRun, type Run } from './run-request.ts'

/** A request without a session: whatever it asks ends it, and comes back with the next try. */
interface ModernRun extends Run {
  /** Made with the first question, or when the request carries answers. */
  tries?: Tries
}

interface Tries {
  responses: Record<string, Record<string, unknown>> | undefined
  state: CallState
  /** Questions asked in this try so far; their number is the default key. */
  count: number
  /** Without an answer yet; sent together when the handler had its turn. */
  open: Record<string, InputRequest>
  rejects: ((reason: unknown) => void)[]
}

/** Requests that may end with `input_required` (2026-07-28 basic/utilities/mrtr). */
const MAY_ASK = new Set(['tools/call', 'prompts/get', 'resources/read'])

export const modernConversation: Conversation = {
  open(run) {
    const { exchange, context } = run
    const { tenant } = exchange
    if (!tenant.hasRoomForStream) return undefined
    const sse = openStream(exchange, [], () => cancelRun(run))
    run.deliver = body => {
      if (body !== undefined) sse.send(body)
      sse.end()
      return body?.length ?? 0
    }
    return message => {
      if (!context.isRunning) return
      tenant.log.message('out', message)
      sse.send(message)
    }
  },

  client: ({ context: { meta } }) => ({
    protocolVersion: meta[META.protocolVersion] as string,
    capabilities: meta[META.clientCapabilities] as Record<string, unknown>,
    info: meta[META.clientInfo] as ClientFacts['info'],
  }),
  session: () => undefined,

  ask: (run, method, params, key) => ask(run, method, params, key),
  inputResponses: run => (run as ModernRun).tries?.responses,
  requestState: run => (run as ModernRun).tries?.state.own,

  // A broken stream is a cancelled request in this era.
  closeStream: () => {},
}

/** The level from which on the request wants log lines. */
export function requestedLogLevel(meta: Record<string, unknown>): LogLevel | undefined {
  return meta[META.logLevel] as LogLevel | undefined
}

/** Reads what a second try carries. Throws RpcError for a state that this deployment did not make for this request. */
export function readAnswers(run: Run): void {
  const { request, exchange } = run
  const { inputResponses, requestState } = request.params ?? {}
  if ((inputResponses === undefined && requestState === undefined) || !MAY_ASK.has(request.method)) return
  if (inputResponses !== undefined && !isObject(inputResponses))
    throw new RpcError(RPC.invalidParams, 'Invalid params: "inputResponses" must be an object')
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new RpcError(RPC.invalidParams, 'Invalid params: "requestState" must be a string')
  const state =
    requestState === undefined ? NEW_STATE : readState(requestState, request, exchange.tenant.stateKey)
  if (!state)
    throw new RpcError(
      RPC.invalidParams,
      'Invalid params: "requestState" is not one that this server gave for this request, or is too old; start the call anew',
    )
  const wellFormed = Object.entries(inputResponses ?? {}).filter(([, answer]) => isObject(answer))
  const responses = inputResponses && (Object.fromEntries(wellFormed) as Tries['responses'])
  ;(run as ModernRun).tries = createTries(responses, state)
}

/** Ends the run with what the handler threw. */
export function endWithInputRequired(run: Run, { requests, state }: InputRequired): void {
  for (const { method, params } of Object.values(requests)) checkCapability(run, method, params)
  const tries = triesOf(run)
  finish(run, requests, { answers: tries.state.answers, ...(state === undefined ? {} : { own: state }) })
}

const NEW_STATE: CallState = { answers: {} }

function createTries(responses: Tries['responses'], state: CallState): Tries {
  return { responses, state, count: 0, open: {}, rejects: [] }
}

function triesOf(run: ModernRun): Tries {
  run.tries ??= createTries(undefined, NEW_STATE)
  return run.tries
}

async function ask(
  run: ModernRun,
  method: string,
  params: Record<string, unknown>,
  name: string | undefined,
): Promise<Record<string, unknown>> {
  if (!MAY_ASK.has(run.request.method))
    throw new RpcError(RPC.invalidRequest, `${run.request.method} cannot ask its client anything`)
  checkCapability(run, method, params)
  const tries = triesOf(run)
  const key = name ?? `question-${tries.count + 1}`
  tries.count++
  const answer = answerTo(tries, key, method)
  if (answer) return answer
  const { promise, reject } = Promise.withResolvers<Record<string, unknown>>()
  // What the handler asks besides in the same turn is asked together.
  if (tries.rejects.length === 0) setImmediate(() => endTry(run, tries))
  tries.open[key] = { method, params }
  tries.rejects.push(reject)
  return promise
}

/** From an earlier try, or from this one's request, which is kept for the next one. */
function answerTo(tries: Tries, key: string, method: string): Record<string, unknown> | undefined {
  const { state, responses } = tries
  const known = Object.hasOwn(state.answers, key) ? state.answers[key] : undefined
  if (known) return known.method === method ? known.answer : undefined
  const answer = responses && Object.hasOwn(responses, key) ? responses[key] : undefined
  if (answer) tries.state = { ...state, answers: { ...state.answers, [key]: { method, answer } } }
  return answer
}

/** The call is over before the handler hears of it, which then only cleans up. */
function endTry(run: ModernRun, { open, state, rejects }: Tries): void {
  finish(run, open, state)
  for (const reject of rejects) reject(new InputRequired(open))
}

function finish(run: Run, requests: Record<string, InputRequest>, state: CallState): void {
  const { tenant } = run.exchange
  const members = {
    resultType: 'input_required',
    ...(Object.keys(requests).length > 0 && { inputRequests: requests }),
    requestState: signState(state, run.request, tenant.stateKey),
  }
  endRun(run, JSON.stringify(members).slice(1, -1))
}

function checkCapability({ context }: Run, method: string, params: Record<string, unknown>): void {
  const missing = missingCapability(context.client.capabilities, requiredCapability(method, params))
  if (missing)
    throw new RpcError(RPC.missingCapability, missingCapabilitySentence(method, missing), {
      requiredCapabilities: missing,
    })
}
