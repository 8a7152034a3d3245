/** JSON-RPC 2.0 as MCP uses it: one message or an array of them. Ids are strings or numbers, and params are objects. */
export type RequestId = string | number

export interface RpcRequest {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: Record<string, unknown>
}
export interface RpcNotification {
  jsonrpc: '2.0'
  method: string
  params?: Record<string, unknown>
}

/** A client's response to a request from the server. */
export interface RpcAnswer {
  jsonrpc: '2.0'
  id: RequestId
  result?: unknown
  error?: unknown
}

/**
 * True if the server does not offer the method, which is normal when clients probe. For `tools/call`, the code means that the
 * call failed.
 */
export function isMissingMethod(method: string, code: number | undefined): boolean {
  return code === RPC.methodNotFound && method !== 'tools/call'
}

/** Codes of JSON-RPC 2.0 and of MCP (schema.ts of 2025-11-25 and 2026-07-28). */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Transport errors, for which MCP has no codes. */
  refused: -32000,
  sessionNotFound: -32001,
  /** In revisions up to 2025-11-25. Later revisions use invalidParams. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const

export type JsonObject = Record<string, unknown>

export type MessageKind = 'request' | 'notification' | 'response' | 'invalid'

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Copies an object without its undefined members. */
export function withoutAbsent(value: object): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))
}

/** Parses JSON. Undefined for invalid JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Kind of a parsed message. Messages with a `null` id or array params are invalid, because MCP forbids both. */
export function messageKind(message: unknown): MessageKind {
  if (!isObject(message) || message.jsonrpc !== '2.0') return 'invalid'
  const { id, method } = message
  if (method === undefined) return isRequestId(id) && isAnswer(message) ? 'response' : 'invalid'
  if (typeof method !== 'string') return 'invalid'
  if (message.params !== undefined && !isObject(message.params)) return 'invalid'
  if (id === undefined) return 'notification'
  return isRequestId(id) ? 'request' : 'invalid'
}

export function rpcResult(id: RequestId, members: string): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":{${members}}}`
}

/** `id` is null when the request's id is not known. */
export function rpcError(id: RequestId | null, code: number, message: string, data?: unknown): string {
  const details = data === undefined ? '' : `,"data":${JSON.stringify(data)}`
  return `{"jsonrpc":"2.0","id":${id === null ? 'null' : idText(id)},"error":{"code":${code},"message":${JSON.stringify(message)}${details}}}`
}

export function rpcRequest(id: RequestId, method: string, params: Record<string, unknown>): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
}

export function rpcNotification(method: string, params: Record<string, unknown>): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
}

/** Id to return in an error about a possibly malformed message. */
export function echoableId(message: unknown): RequestId | null {
  return isObject(message) && isRequestId(message.id) && typeof message.method === 'string'
    ? message.id
    : null
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))
}

function isAnswer(message: Record<string, unknown>): boolean {
  return isObject(message.result) || isObject(message.error)
}

function idText(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id)
}

/** A JSON-RPC error for the client. The protocol layer changes only codes that differ between the eras. */
export class RpcError extends Error {
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}
