import { META } from '../../../shared/modern-envelope.ts'
import { openStream } from '../../http/responses.ts'
import type { ClientFacts } from '../../server/client-context.ts'
import { type InputRequest, InputRequired } from '../../server/input-required.ts'
import { missingCapability, missingCapabilitySentence, requiredCapability } from '../client-capabilities.ts'
import { isObject, RPC, RpcError } from '../json-rpc.ts'
import type { Run, SideChannel } from '../run.ts'
import { cancelRun, endRun } from '../run-request.ts'
import { type CallState, readState, signState } from './request-state.ts'

/** A request without a session. A question ends it, and the client repeats it with the answer. */
interface ModernRun extends Run {
  /** Created by the first question, or when the request carries answers. */
  attempt?: CallAttempt
}

interface CallAttempt {
  responses: Record<string, Record<string, unknown>> | undefined
  state: CallState
  /** Number of questions in this attempt. Part of the default key of a question. */
  count: number
  /** Unanswered questions, sent together at the end of the event loop turn. */
  open: Record<string, InputRequest>
  rejects: ((reason: unknown) => void)[]
}

/** Requests that may end with `input_required` (2026-07-28 basic/utilities/mrtr). */
const ASKING_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read'])

export const modernSideChannel: SideChannel = {
  open(run) {
    const { exchange, context } = run
    const { tenant } = exchange
    if (!tenant.hasRoomForStream) return undefined
    const sse = openStream(exchange, [], () => cancelRun(run))
    run.deliver = body => {
      // First, so that V8 flattens the text only once.
      const bytes = Buffer.byteLength(body ?? '')
      if (body !== undefined) sse.send(body)
      sse.end()
      return bytes
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
  inputResponses: run => (run as ModernRun).attempt?.responses,
  requestState: run => (run as ModernRun).attempt?.state.own,

  // In this era a closed stream cancels the request.
  closeStream: () => {},
}

/** Reads the answers in a repeated request. Throws RpcError for a state that this server did not sign for this request. */
export function readAnswers(run: Run): void {
  const { request, exchange } = run
  const { inputResponses, requestState } = request.params ?? {}
  if ((inputResponses === undefined && requestState === undefined) || !ASKING_METHODS.has(request.method))
    return
  if (inputResponses !== undefined && !isObject(inputResponses))
    throw new RpcError(RPC.invalidParams, 'Invalid params: "inputResponses" must be an object')
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new RpcError(RPC.invalidParams, 'Invalid params: "requestState" must be a string')
  const state =
    requestState === undefined ? NEW_STATE : readState(requestState, request, exchange.tenant.stateKey)
  if (!state)
    throw new RpcError(
      RPC.invalidParams,
      'Invalid params: "requestState" was not issued by this server for this request, or has expired. Start the call again.',
    )
  const wellFormed = Object.entries(inputResponses ?? {}).filter(([, answer]) => isObject(answer))
  const responses = inputResponses && (Object.fromEntries(wellFormed) as CallAttempt['responses'])
  ;(run as ModernRun).attempt = createAttempt(responses, state)
}

/** Ends the run with the questions that the handler threw. */
export function endWithInputRequired(run: Run, { requests, state }: InputRequired): void {
  for (const { method, params } of Object.values(requests)) checkCapability(run, method, params)
  const attempt = attemptOf(run)
  finish(run, requests, { answers: attempt.state.answers, ...(state === undefined ? {} : { own: state }) })
}

const NEW_STATE: CallState = { answers: {} }

function createAttempt(responses: CallAttempt['responses'], state: CallState): CallAttempt {
  return { responses, state, count: 0, open: {}, rejects: [] }
}

function attemptOf(run: ModernRun): CallAttempt {
  run.attempt ??= createAttempt(undefined, NEW_STATE)
  return run.attempt
}

async function ask(
  run: ModernRun,
  method: string,
  params: Record<string, unknown>,
  name: string | undefined,
): Promise<Record<string, unknown>> {
  if (!ASKING_METHODS.has(run.request.method))
    throw new RpcError(RPC.invalidRequest, `${run.request.method} cannot send requests to its client`)
  checkCapability(run, method, params)
  const attempt = attemptOf(run)
  const key = name ?? `question-${attempt.count + 1}`
  attempt.count++
  const answer = answerTo(attempt, key, method)
  if (answer) return answer
  const { promise, reject } = Promise.withResolvers<Record<string, unknown>>()
  // Questions from the same turn of the event loop are sent together.
  if (attempt.rejects.length === 0) setImmediate(() => endAttempt(run, attempt))
  attempt.open[key] = { method, params }
  attempt.rejects.push(reject)
  return promise
}

/** Answer from an earlier attempt or from this request. The latter is stored for the next attempt. */
function answerTo(attempt: CallAttempt, key: string, method: string): Record<string, unknown> | undefined {
  const { state, responses } = attempt
  const known = Object.hasOwn(state.answers, key) ? state.answers[key] : undefined
  if (known) return known.method === method ? known.answer : undefined
  const answer = responses && Object.hasOwn(responses, key) ? responses[key] : undefined
  if (answer) attempt.state = { ...state, answers: { ...state.answers, [key]: { method, answer } } }
  return answer
}

/** Ends the call before the handler's promise rejects, so that the handler can only clean up. */
function endAttempt(run: ModernRun, { open, state, rejects }: CallAttempt): void {
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
