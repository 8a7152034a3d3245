import type { IncomingMessage } from 'node:http'
import { header } from '../../http/headers.ts'
import type { RpcRequest } from '../json-rpc.ts'
import { decodeHeaderValue } from './header-value.ts'

/** Source of `Mcp-Name` (SEP-2243, "Standard Request Headers"). */
const NAME_SOURCE: ReadonlyMap<string, 'name' | 'uri'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
] as const)

/**
 * First contradiction between headers and body of a modern request. Gateways route and limit by these headers without reading
 * the body, so the server must refuse a body that differs (SEP-2243).
 */
export function findContradiction(
  http: IncomingMessage,
  revision: string,
  method: string,
): string | undefined {
  const version = header(http, 'mcp-protocol-version')
  if (version !== undefined && version !== revision)
    return `MCP-Protocol-Version is ${quote(version)} but the body says ${quote(revision)}`
  const named = header(http, 'mcp-method')
  if (named !== undefined && named !== method)
    return `Mcp-Method is ${quote(named)} but the body says ${quote(method)}`
  return undefined
}

/** A missing header that modern requests require, or an `Mcp-Name` that differs from the body. */
export function findHeaderFault(http: IncomingMessage, request: RpcRequest): string | undefined {
  if (header(http, 'mcp-protocol-version') === undefined) return 'the header MCP-Protocol-Version is required'
  if (header(http, 'mcp-method') === undefined) return 'the header Mcp-Method is required'
  const source = NAME_SOURCE.get(request.method)
  const expected = source && request.params?.[source]
  if (typeof expected !== 'string') return undefined
  const value = header(http, 'mcp-name')
  if (value === undefined) return `the header Mcp-Name is required and must be ${quote(expected)}`
  const decoded = decodeHeaderValue(value)
  if (decoded === undefined) return `Mcp-Name ${quote(value)} is not valid base64 between =?base64? and ?=`
  if (decoded !== expected) return `Mcp-Name is ${quote(decoded)} but the body says ${quote(expected)}`
  return undefined
}

function quote(value: string): string {
  return JSON.stringify(value)
}
