import { HostingError } from '../../shared/errors.ts'

interface Fault {
  name?: string
  message?: string
  statusCode?: number
  code?: string
  url?: string
  responseHeaders?: Record<string, string>
  cause?: Fault
  lastError?: Fault
}

/** Converts AI SDK errors. Includes only the message of the vendor's response, because the request headers contain the key. */
export function toModelError(error: unknown, model: string): HostingError {
  if (error instanceof HostingError) return error
  const fault = rootOf(error as Fault)
  if (fault.cause instanceof HostingError) return fault.cause
  const { statusCode: status } = fault
  if (status !== undefined) return statusError(status, fault, model)
  const code = networkCode(fault)
  if (code)
    return new HostingError('UNAVAILABLE', `The model ${model} cannot be reached (${code}).`, {
      cause: error,
    })
  if (fault.name === 'TimeoutError')
    return new HostingError('UNAVAILABLE', `The model ${model} did not answer in time.`)
  return new HostingError('UPSTREAM_FAILED', `The model ${model} failed: ${messageOf(fault)}`, {
    cause: error,
  })
}

function statusError(status: number, fault: Fault, model: string): HostingError {
  const reply = `HTTP ${status}: ${messageOf(fault)}`
  if (status === 401 || status === 403)
    return new HostingError(
      'UPSTREAM_FAILED',
      `The vendor rejected the key for the model ${model}. ${reply}`,
      {
        details: 'Set another key in the environment, or save one with mcp models login.',
      },
    )
  if (status === 404) return new HostingError('UPSTREAM_FAILED', `The vendor has no model ${model}. ${reply}`)
  if (status === 429) {
    const seconds = fault.responseHeaders?.['retry-after']
    const when = seconds ? ` Try again in ${seconds} s.` : ''
    return new HostingError('UPSTREAM_FAILED', `The model ${model} is rate limited. ${reply}${when}`)
  }
  if (status === 529 || status === 503)
    return new HostingError('UNAVAILABLE', `The model ${model} is overloaded. ${reply}`)
  return new HostingError('UPSTREAM_FAILED', `The model ${model} failed. ${reply}`)
}

/** The last error of a request that the AI SDK retried. */
function rootOf(fault: Fault): Fault {
  return fault?.lastError ? rootOf(fault.lastError) : (fault ?? {})
}

function networkCode(fault: Fault): string | undefined {
  for (let at: Fault | undefined = fault; at; at = at.cause)
    if (/^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(String(at.code))) return at.code
  return undefined
}

const MAX_MESSAGE_LENGTH = 500

/** The error's message, truncated and without keys, which some endpoints repeat in their errors. */
function messageOf({ message }: Fault): string {
  const text = (message ?? 'no reason given').replace(/\b(sk|key|Bearer)[-_ ][\w*.-]{6,}/gi, '$1-…')
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text
}
