import type { ControlError } from '../shared/network/egress-protocol.ts'
import { describeRefusal, REFUSED_CODE, type Refusal } from '../shared/network/network-policy.ts'

/** A connection or lookup that the policy refuses. */
export class RefusedError extends Error {
  readonly code = REFUSED_CODE
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(describeRefusal(refusal))
    this.refusal = refusal
  }
}

/** A request that exceeds a limit of the egress process itself. */
export class LimitError extends Error {
  readonly code = 'ERR_NETWORK_LIMIT'
}

/** Error for the process, as if it had made the connection itself. */
export function toControlError(error: unknown): ControlError {
  const { code, message, syscall, address, port } = singleError(error) as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  return {
    code: typeof code === 'string' ? code : 'ECONNRESET',
    message: String(message).slice(0, 1000),
    ...(typeof syscall === 'string' && { syscall }),
    ...(typeof address === 'string' && { address }),
    ...(typeof port === 'number' && { port }),
  }
}

/** A connection to a name with several addresses fails with one error per address. Returns the last one. */
function singleError(error: unknown): unknown {
  return error instanceof AggregateError && error.errors.length > 0 ? error.errors.at(-1) : error
}
