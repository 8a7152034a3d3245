import type { ErrorCode } from '../../shared/errors.ts'

/** The one table from error code to HTTP status (docs/decisions.md "Scopes, limits, errors"). */
export const STATUS_OF = {
  INVALID_JSON: 400,
  INVALID_REQUEST: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  INSUFFICIENT_SCOPE: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  NO_SOURCE: 409,
  NOT_RECORDED: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID_MCP: 422,
  IDEMPOTENCY_MISMATCH: 422,
  RATE_LIMITED: 429,
  CANCELLED: 499,
  INTERNAL: 500,
  UPSTREAM_FAILED: 502,
  INTERRUPTED: 503,
  UNAVAILABLE: 503,
  TIMEOUT: 504,
} as const satisfies Record<ErrorCode, number>
