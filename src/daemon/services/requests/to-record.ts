import type { RequestRecordItem } from '../../../shared/contract/monitoring/requests.ts'
import type { RequestOutcome, StoreEnvironment } from '../../../shared/contract/states.ts'
import { type LogLine, REDACTED_TEXT } from '../../../shared/instances/log-line.ts'
import { recordId } from './record-id.ts'

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Server, environment and release that requests were sent to. */
export interface RequestOrigin {
  server: string
  environment: StoreEnvironment
  deploymentId: string | null
  mcpId: string
  version: number | null
}

/** True for the line of an answered or refused request. Containers write lines too, so fields may have any type. */
export function isRequestLine({ stream, ms, status, method, outcome, timestamp }: LogLine): boolean {
  if (stream !== 'mcp' || typeof outcome !== 'string' || !isTime(timestamp)) return false
  return (typeof ms === 'number' && typeof method === 'string') || typeof status === 'number'
}

export function outcomeOf({ outcome, status }: LogLine): RequestOutcome {
  if (typeof status === 'number') return 'refused'
  return outcome === 'ok' || outcome === 'cancelled' ? outcome : 'error'
}

/** Requests that clients send automatically, not for a user or a model. */
const ROUTINE_METHOD =
  /^(?:initialize|ping|server\/discover|subscriptions\/listen|logging\/setLevel|notifications\/.*|.*\/list)$/

/** True for a successful handshake, list and the like. A failed one is always of interest. */
export function isRoutine(line: LogLine): boolean {
  return outcomeOf(line) === 'ok' && ROUTINE_METHOD.test(line.method ?? '')
}

export function idOf({ instance = '', at }: LogLine, logId: string): string {
  return recordId({ logId, instance, at: at! })
}

/** Record of a line, without bodies. `logId`: the deployment or build whose log contains the line. */
export function toRecord(line: LogLine, logId: string, origin: RequestOrigin): RequestRecordItem {
  const { method, tool, message, instance = '' } = line
  return {
    id: idOf(line, logId),
    ...origin,
    instance,
    timestamp: line.timestamp,
    durationMs: amount(line.ms),
    method: text(method),
    tool: text(tool),
    target: tool === undefined && method !== undefined ? targetOf(method, message) : null,
    sessionId: text(line.sessionId),
    caller: text(line.caller),
    requestId: text(line.requestId) || null,
    requestBytes: whole(line.requestBytes),
    responseBytes: whole(line.bytes),
    outcome: outcomeOf(line),
    status: whole(line.status),
    code: whole(line.code),
    reason: typeof line.status === 'number' ? message : text(line.reason),
    replayOf: text(line.replayOf),
    bodies: bodiesOf(line),
    isReplayable: replayableArguments(line) !== undefined,
  }
}

/** Record of a line, with bodies. */
export function toDetail(line: LogLine, logId: string, origin: RequestOrigin): RequestRecordItem {
  return {
    ...toRecord(line, logId, origin),
    arguments: line.arguments,
    answer: line.answer,
  }
}

/** Arguments for repeating a tool call. Undefined for other requests, and when the arguments are incomplete or redacted. */
export function replayableArguments(line: LogLine): Record<string, unknown> | undefined {
  const { method, tool, arguments: args = {} } = line
  const isKnown = bodiesOf(line) === 'kept' || line.arguments !== undefined
  if (method !== 'tools/call' || typeof tool !== 'string' || !isKnown) return undefined
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return undefined
  return JSON.stringify(args).includes(REDACTED_TEXT) ? undefined : (args as Record<string, unknown>)
}

function bodiesOf({ arguments: args, answer, bodies }: LogLine): RequestRecordItem['bodies'] {
  if (bodies === 'omitted') return 'omitted'
  if (args === undefined && answer === undefined) return 'none'
  return typeof args === 'string' || typeof answer === 'string' ? 'truncated' : 'kept'
}

/** Resource or prompt, which follows the method in the message. */
function targetOf(method: string, message: string): string | null {
  return message.startsWith(`${method} `) ? message.slice(method.length + 1) : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isTime(timestamp: string): boolean {
  return TIMESTAMP.test(timestamp) && !Number.isNaN(Date.parse(timestamp))
}

function amount(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null
}

function whole(value: unknown): number | null {
  return Number.isSafeInteger(value) ? Number(value) : null
}
