import type { IncomingHttpHeaders } from 'node:http'
import { ERROR_CODES, type ErrorCode, HostingError, type NextStep } from '../shared/errors.ts'
import { lacksOperation, missingExtension } from './missing-extension.ts'

export interface FailedAnswer {
  status: number
  text: string
  headers: IncomingHttpHeaders
  /** Address of the API. */
  url: string
  method: string
  path: string
  /** The API has shown already that it lacks extensions. */
  isContractOnly?: boolean
}

/** Only for an API that names no code of ours: what its HTTP status says. */
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

/** The error of an answer other than 2xx: the envelope's code, message and details, or what the status tells. */
export function errorOfAnswer(answer: FailedAnswer): HostingError {
  const { code, message, details } = readBody(answer.text)
  const refused = { ...answer, isExplained: code !== undefined && !answer.isContractOnly }
  if (lacksOperation(refused)) return missingExtension(refused)
  const known = ERROR_CODES.find(one => one === code)
  const mapped =
    known ?? CODE_OF_STATUS[answer.status] ?? (answer.status >= 500 ? 'UPSTREAM_FAILED' : 'INVALID_REQUEST')
  const sentence = message ?? `${answer.url} answered ${answer.method} ${answer.path} with ${answer.status}.`
  const notes = [details, known || !code ? undefined : `code ${code}`, requestNote(mapped, answer)]
  return new HostingError(mapped, sentence, {
    details: notes.filter(note => note).join('\n') || undefined,
    next: nextSteps(mapped, answer),
  })
}

export function timedOut(method: string, url: URL, cause: unknown): HostingError {
  return new HostingError('TIMEOUT', `${method} ${url.href} had no answer in time.`, {
    cause,
    next: [{ description: 'Wait longer with --timeout, for example --timeout 10m' }],
  })
}

export function errorOfConnection(url: string, cause: unknown): HostingError {
  const { code, message } = cause as NodeJS.ErrnoException
  return new HostingError('UNAVAILABLE', `${url} is out of reach: ${reason(code, message)}.`, {
    cause,
    next: [
      { description: 'See which API is used and why', command: 'mcp context show' },
      { description: 'Check the installation', command: 'mcp doctor' },
    ],
  })
}

function reason(code: string | undefined, message: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'its host name is not known'
    case 'ECONNRESET':
    case 'EPIPE':
      return 'the connection was cut'
    default:
      return code && !message.includes(code) ? `${message} (${code})` : message
  }
}

/** `{error: {code, message, details}}`, and the looser shapes that other servers use. */
function readBody(text: string): { code?: string; message?: string; details?: string } {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // Not every proxy between here and the API answers in JSON; the status still tells enough.
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

/** For an error of the server's own the request id is what leads to its log. */
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
        { description: 'See which key is used and why', command: 'mcp context show' },
      ]
    case 'INSUFFICIENT_SCOPE':
      return [{ description: 'See what the key may do', command: 'mcp whoami' }]
    case 'RATE_LIMITED': {
      const seconds = headers['retry-after']
      return [{ description: seconds ? `Try again in ${seconds} s` : 'Try again later' }]
    }
    case 'NOT_FOUND':
      return [
        hasLists(answer)
          ? listFor(answer.path)
          : { description: 'See which API is used and why', command: 'mcp context show' },
      ]
    default:
      return []
  }
}

/** The contract has neither lists nor request ids: an API that sends the one has the other. */
function hasLists({ isContractOnly, headers }: FailedAnswer): boolean {
  return !isContractOnly && headers['x-request-id'] !== undefined
}

const LISTS: readonly (readonly [prefix: string, description: string, command: string])[] = [
  ['/api/projects', 'See the projects', 'mcp projects list'],
  ['/api/lambda-builds/trigger', 'See the projects', 'mcp projects list'],
  ['/api/lambda-builds', 'See the container builds', 'mcp projects builds --all'],
  ['/api/lambda-mapping', 'See the names of servers', 'mcp domains list'],
  ['/api/chat', 'See the chats', 'mcp chats list'],
  ['/api/keys', 'See the keys', 'mcp keys list'],
]

function listFor(path: string): NextStep {
  const [, description = 'See what there is', command = 'mcp list'] =
    LISTS.find(([prefix]) => path.startsWith(prefix)) ?? []
  return { description, command }
}
