import { HostingError } from '../errors.ts'

/** Errors of established connections. */
const BROKEN_CONNECTION_CODES = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** Converts errors from the SDK, `fetch` or the server. Most messages name `url`. */
export function toHostingError(error: unknown, url: string): HostingError {
  if (error instanceof HostingError) return error
  const { code, status, name, message, causeCode, streamCut } = describe(error)
  if (name === 'AbortError') return new HostingError('CANCELLED', 'The call was cancelled.', { cause: error })
  if (code === 'REQUEST_TIMEOUT' || causeCode === 'UND_ERR_HEADERS_TIMEOUT')
    return new HostingError('TIMEOUT', `${url} did not answer in time.`, { cause: error })
  if (status !== undefined) return fromStatus(status, url, error)
  if (streamCut || (causeCode !== undefined && BROKEN_CONNECTION_CODES.includes(causeCode)))
    return new HostingError(
      'UNAVAILABLE',
      `The connection to ${url} broke before the response arrived. The server may have stopped.`,
      { cause: error, next: [{ description: 'List the deployments', command: 'mcp list' }] },
    )
  if (causeCode !== undefined || code === 'CONNECTION_CLOSED' || code === 'SEND_FAILED')
    return new HostingError(
      'UNAVAILABLE',
      `${url} cannot be reached (${causeCode ?? 'connection closed'}).`,
      { cause: error, next: [{ description: 'List the deployments', command: 'mcp list' }] },
    )
  // "Invalid params" or "resource not found": the tool, resource or prompt does not exist, or its arguments are invalid.
  if (code === -32602 || code === -32002)
    return new HostingError('INVALID_REQUEST', message, { cause: error })
  return new HostingError('UPSTREAM_FAILED', `${url} answered with an error: ${withoutIssues(message)}`, {
    cause: error,
  })
}

/** Removes zod's list of issues, which the SDK appends when a server sends an invalid message. */
function withoutIssues(message: string): string {
  const at = message.search(/\[\s*\{\s*"(?:code|expected)":/)
  return at < 0 ? message : `${message.slice(0, at)}it sent an invalid MCP message`
}

function fromStatus(status: number, url: string, cause: unknown): HostingError {
  if (status === 401)
    return new HostingError('UNAUTHORIZED', `${url} requires a token. Pass one with --token.`, { cause })
  if (status === 403)
    return new HostingError('INSUFFICIENT_SCOPE', `${url} rejected this client (HTTP 403).`, { cause })
  if (status === 404 || status === 405)
    return new HostingError('NOT_FOUND', `There is no MCP server at ${url} (HTTP ${status}).`, { cause })
  if (status === 503)
    return new HostingError('UNAVAILABLE', `The server at ${url} is not running (HTTP 503).`, {
      cause,
      next: [{ description: 'Check its state', command: 'mcp list' }],
    })
  return new HostingError('UPSTREAM_FAILED', `${url} answered with HTTP ${status}.`, { cause })
}

/** Facts from an unknown error and its chain of causes. */
function describe(error: unknown) {
  const found: {
    code?: string | number
    status?: number
    causeCode?: string
    name?: string
    streamCut?: boolean
  } = {}
  for (let at = error as ErrorLike | undefined; at; at = at.cause) {
    found.name ??= at.name
    if (typeof at.data?.status === 'number') found.status ??= at.data.status
    if (at.data?.streamCut === true) found.streamCut = true
    // TLS errors have no common prefix.
    if (at.message === 'fetch failed' && at.cause)
      found.causeCode ??= String(at.cause.code ?? at.cause.message)
    if (/^(E[A-Z]+|EAI_[A-Z]+|UND_ERR_[A-Z_]+)$/.test(String(at.code))) found.causeCode ??= String(at.code)
    else if (at.code !== undefined) found.code ??= at.code
  }
  return { ...found, message: error instanceof Error ? error.message : String(error) }
}

interface ErrorLike {
  name?: string
  message?: string
  code?: string | number
  data?: { status?: unknown; streamCut?: unknown }
  cause?: ErrorLike
}
