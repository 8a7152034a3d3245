import type { IncomingHttpHeaders } from 'node:http'
import { ERROR_CODES, type ErrorCode, HostingError, type NextStep } from '../../shared/errors.ts'
import { lacksOperation, missingExtension } from './missing-extension.ts'

export interface FailedAnswer {
  status: number
  text: string
  headers: IncomingHttpHeaders
  url: string
  method: string
  path: string
  /** True when the API has already shown that it lacks extensions. */
  isContractOnly?: boolean
}

/** Fallback for APIs that send no error code from the contract. */
const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'INSUFFICIENT_SCOPE',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'INVALID_MCP',
  429: 'RATE_LIMITED',
  501: 'METHOD_NOT_ALLOWED',
  504: 'TIMEOUT',
}

/** Error of a non-2xx response: code, message and details of the envelope, or the meaning of the status. */
export function errorOfAnswer(answer: FailedAnswer): HostingError {
  const { code, message, details } = readBody(answer.text)
  const refused = { ...answer, isExplained: code !== undefined && !answer.isContractOnly }
  if (lacksOperation(refused)) return missingExtension(refused)
  const known = ERROR_CODES.find(one => one === code)
  const mapped =
    known ?? CODE_OF_STATUS[answer.status] ?? (answer.status >= 500 ? 'UPSTREAM_FAILED' : 'INVALID_REQUEST')
  const sentence =
    message ?? `${answer.url} responded to ${answer.method} ${answer.path} with status ${answer.status}.`
  const notes = [details, known || !code ? undefined : `code ${code}`, requestNote(mapped, answer)]
  return new HostingError(mapped, sentence, {
    details: notes.filter(note => note).join('\n') || undefined,
    next: nextSteps(mapped, answer),
  })
}

export function timedOut(method: string, url: URL, cause: unknown): HostingError {
  return new HostingError('TIMEOUT', `${method} ${url.href} timed out.`, {
    cause,
    next: [{ description: 'Set a longer timeout, for example --timeout 10m' }],
  })
}

export function errorOfConnection(url: string, cause: unknown): HostingError {
  const { code, message } = cause as NodeJS.ErrnoException
  return new HostingError('UNAVAILABLE', `${url} is unreachable: ${reason(code, message)}.`, {
    cause,
    next: [
      { description: 'Show the API in use', command: 'mcp context show' },
      { description: 'Check the installation', command: 'mcp doctor' },
    ],
  })
}

function reason(code: string | undefined, message: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'unknown host name'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection was reset'
    default:
      return code && !message.includes(code) ? `${message} (${code})` : message
  }
}

/** `{error: {code, message, details}}`, or one of the looser shapes of other servers. */
function readBody(text: string): { code?: string; message?: string; details?: string } {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // A proxy may respond without JSON, which leaves only the status.
    return {}
  }
  const { error, message } = (body ?? {}) as { error?: unknown; message?: unknown }
  if (typeof error === 'string') return { message: asText(message) ?? error }
  const inner = (error ?? body ?? {}) as { code?: unknown; message?: unknown; details?: unknown }
  return { code: asText(inner.code), message: asText(inner.message), details: asText(inner.details) }
}

function asText(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Note with the request id of an internal error, for a search in the log. */
function requestNote(code: ErrorCode, { headers }: FailedAnswer): string | undefined {
  const id = headers['x-request-id']
  return (code === 'INTERNAL' || code === 'UPSTREAM_FAILED') && id ? `request id ${id}` : undefined
}

function nextSteps(code: ErrorCode, answer: FailedAnswer): NextStep[] {
  const { headers } = answer
  switch (code) {
    case 'UNAUTHORIZED':
      return [
        { description: 'Sign in', command: 'mcp login' },
        { description: 'Show the API key in use', command: 'mcp context show' },
      ]
    case 'INSUFFICIENT_SCOPE':
      return [{ description: 'Show the permissions of the key', command: 'mcp whoami' }]
    case 'RATE_LIMITED': {
      const seconds = headers['retry-after']
      return [{ description: seconds ? `Try again in ${seconds} s` : 'Try again later' }]
    }
    case 'NOT_FOUND':
      return [
        hasLists(answer)
          ? listFor(answer.path)
          : { description: 'Show the API in use', command: 'mcp context show' },
      ]
    default:
      return []
  }
}

/**
 * True for an API that sends `X-Request-Id`. The contract has neither this header nor lists, so such an API is assumed to have
 * lists.
 */
function hasLists({ isContractOnly, headers }: FailedAnswer): boolean {
  return !isContractOnly && headers['x-request-id'] !== undefined
}

const LISTS: readonly (readonly [prefix: string, description: string, command: string])[] = [
  ['/api/projects', 'List projects', 'mcp projects list'],
  ['/api/lambda-builds/trigger', 'List projects', 'mcp projects list'],
  ['/api/lambda-builds', 'List container builds', 'mcp projects builds --all'],
  ['/api/lambda-mapping', 'List the names of servers', 'mcp domains list'],
  ['/api/chat', 'List chats', 'mcp chats list'],
  ['/api/keys', 'List API keys', 'mcp keys list'],
]

function listFor(path: string): NextStep {
  const [, description = 'List servers', command = 'mcp list'] =
    LISTS.find(([prefix]) => path.startsWith(prefix)) ?? []
  return { description, command }
}
