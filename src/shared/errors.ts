/**
 * Codes of HostingError. `daemon/http/status.ts` has the HTTP status of each, and `cli/command-line/exit-codes.ts` has the exit
 * code.
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

/** Suggested next step: a sentence and, if there is one, a command. */
export interface NextStep {
  description: string
  command?: string
}

/** The `error` member of every error envelope (service interface, section 7). */
export interface ErrorBody {
  code: ErrorCode | (string & {})
  message: string
  /** Empty when the message needs no details. */
  details: string
}

export interface HostingErrorOptions {
  /** Additional detail that names the field, for example `tools[2].inputSchema: must be an object`. */
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

/** Disk write errors (errno(3)). */
const DISK_FAULTS: Record<string, string> = {
  ENOSPC: 'The disk is full',
  EDQUOT: 'The disk quota is exceeded',
  EFBIG: 'A file exceeds the maximum file size',
  EROFS: 'The disk is read-only',
  EIO: 'The disk failed',
}

/** Converts any thrown value: UNAVAILABLE for disk errors, INTERNAL without the original message for others. */
export function toHostingError(error: unknown): HostingError {
  if (error instanceof HostingError) return error
  const { code } = Object(error) as { code?: unknown }
  const fault = typeof code === 'string' ? DISK_FAULTS[code] : undefined
  if (fault)
    return new HostingError('UNAVAILABLE', `${fault} (${code}).`, {
      details: 'Free some space or repair the disk, then try again.',
      cause: error,
    })
  const message = 'Internal error. Search the daemon log for this request id.'
  return new HostingError('INTERNAL', message, { cause: error })
}
