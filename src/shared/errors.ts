/**
 * The one error class of the product and its closed list of codes.
 * Code → HTTP status stands in `daemon/http/status.ts`, code → exit code in `cli/exit-codes.ts`, nowhere else.
 */
export const ERROR_CODES = [
  'INVALID_JSON',
  'INVALID_REQUEST',
  'INVALID_MCP',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'INSUFFICIENT_SCOPE',
  'NOT_FOUND',
  'METHOD_NOT_ALLOWED',
  'CONFLICT',
  'NO_SOURCE',
  'NOT_RECORDED',
  'PRECONDITION_FAILED',
  'IDEMPOTENCY_MISMATCH',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'RATE_LIMITED',
  'CANCELLED',
  'TIMEOUT',
  'INTERRUPTED',
  'INTERNAL',
  'UPSTREAM_FAILED',
  'UNAVAILABLE',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]

/** What the reader can do next: a sentence and, where there is one, the command to type. */
export interface NextStep {
  description: string
  command?: string
}

/** The `error` member of every error envelope (service interface, section 7). */
export interface ErrorBody {
  code: ErrorCode | (string & {})
  message: string
  /** Empty when the message is all there is to say. */
  details: string
}

export interface HostingErrorOptions {
  /** Further detail that names the field, for example `tools[2].inputSchema: must be an object`. */
  details?: string
  next?: NextStep[]
  /** Kept for the log, never sent to a client. */
  cause?: unknown
}

export class HostingError extends Error {
  override readonly name = 'HostingError'
  readonly code: ErrorCode
  readonly details: string | undefined
  readonly next: NextStep[]

  constructor(code: ErrorCode, message: string, options: HostingErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
    this.next = options.next ?? []
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, details: this.details ?? '' }
  }
}

/** What a disk says that takes nothing more (errno(3)); no fault of the program's. */
const DISK_FAULTS: Record<string, string> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The quota of the disk is used up',
  EFBIG: 'A file became larger than it may be',
  EROFS: 'The disk is read-only',
  EIO: 'The disk failed',
}

/**
 * Anything thrown, as a HostingError: UNAVAILABLE for a disk that takes nothing more; other unknown errors become INTERNAL
 * with a text that tells no internals.
 */
export function toHostingError(error: unknown): HostingError {
  if (error instanceof HostingError) return error
  const { code } = Object(error) as { code?: unknown }
  const fault = typeof code === 'string' ? DISK_FAULTS[code] : undefined
  if (fault)
    return new HostingError('UNAVAILABLE', `${fault} (${code}).`, {
      details: 'Free some space, or mend the disk, and try again.',
      cause: error,
    })
  return new HostingError(
    'INTERNAL',
    'The server met an error of its own. The request id leads to its log.',
    {
      cause: error,
    },
  )
}
