import { HostingError } from '../../shared/errors.ts'
import { VERSION } from '../../shared/version.ts'
import { isObject, McpError, type Message, type Params } from './messages.ts'

/** How to reach a server. */
export interface Endpoint {
  /** MCP path of the server on the page's origin. */
  path: string
  /** Access token for a server with its own sign-in. */
  token: string | undefined
}

/** Questions that the user can answer on the page. */
export const QUESTIONS = { elicitation: { form: {}, url: {} }, sampling: {} }
/** MIME type of an MCP App. */
export const APP_TYPE = 'text/html;profile=mcp-app'
/** Capabilities for a request without questions. Servers may list tools with apps only to clients that show apps. */
export const CAPABILITIES = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [APP_TYPE] } } }
export const CLIENT = { name: 'mcp console', version: VERSION }

export function authorization({ token }: Endpoint): Record<string, string> {
  return token ? { authorization: `Bearer ${token}` } : {}
}

/** True for the response to the expected request. Errors about a request that could not be read have no id. */
export function isAnswer({ id, result, error }: Message, expected: number): boolean {
  return (id === expected && result !== undefined) || (error !== undefined && (id ?? expected) === expected)
}

/** Result of a response. Throws McpError for an error. */
export function resultOf({ result, error }: Message): Params {
  if (error) throw new McpError(error)
  if (isObject(result)) return result
  throw invalidMessage()
}

export function invalidMessage(details?: string): HostingError {
  return new HostingError('UPSTREAM_FAILED', 'The server sent an invalid MCP message.', { details })
}

export function streamCut(): HostingError {
  const sentence = 'The connection broke before the response arrived. The server may have stopped.'
  return new HostingError('UNAVAILABLE', sentence)
}
