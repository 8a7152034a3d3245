import type { ErrorCode } from '../../shared/errors.ts'

/** Exit codes of every command. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notAllowed: 3,
  notFound: 4,
  conflict: 5,
  rateLimited: 6,
  unreachable: 7,
  timedOut: 8,
  bug: 70,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Exit codes by error code, defined only here. */
export const EXIT_CODE_OF: Readonly<Record<ErrorCode, ExitCode>> = {
  INVALID_JSON: EXIT.usage,
  INVALID_REQUEST: EXIT.usage,
  INVALID_MCP: EXIT.usage,
  UNAUTHORIZED: EXIT.notAllowed,
  FORBIDDEN: EXIT.notAllowed,
  INSUFFICIENT_SCOPE: EXIT.notAllowed,
  NOT_FOUND: EXIT.notFound,
  // The API does not offer the operation.
  METHOD_NOT_ALLOWED: EXIT.notFound,
  CONFLICT: EXIT.conflict,
  NO_SOURCE: EXIT.conflict,
  NOT_RECORDED: EXIT.failed,
  PRECONDITION_FAILED: EXIT.conflict,
  IDEMPOTENCY_MISMATCH: EXIT.conflict,
  PAYLOAD_TOO_LARGE: EXIT.usage,
  UNSUPPORTED_MEDIA_TYPE: EXIT.usage,
  RATE_LIMITED: EXIT.rateLimited,
  CANCELLED: EXIT.interrupted,
  TIMEOUT: EXIT.timedOut,
  INTERRUPTED: EXIT.failed,
  INTERNAL: EXIT.bug,
  UPSTREAM_FAILED: EXIT.unreachable,
  UNAVAILABLE: EXIT.unreachable,
}
