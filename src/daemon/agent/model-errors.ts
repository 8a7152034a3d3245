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

/**
 * Whatever the AI SDK throws of a model, as one sentence about it. What a vendor answered is told only by its message:
 * the request's headers hold the key.
 */
export function toModelError(error: unknown, model: string): HostingError {
  if (error instanceof HostingError) return error
  const fault = rootOf(error as Fault)
  if (fault.cause instanceof HostingError) return fault.cause
  const { statusCode: status } = fault
  if (status !== undefined) return ofStatus(status, fault, model)
  const code = networkCode(fault)
  if (code)
    return new HostingError('UNAVAILABLE', `The model ${model} is out of reach (${code}).`, { cause: error })
  if (fault.name === 'TimeoutError')
    return new HostingError('UNAVAILABLE', `The model ${model} did not answer in time.`)
  return new HostingError('UPSTREAM_FAILED', `The model ${model} failed: ${messageOf(fault)}`, {
    cause: error,
  })
}

function ofStatus(status: number, fault: Fault, model: string): HostingError {
  const said = `it answered ${status}: ${messageOf(fault)}`
  if (status === 401 || status === 403)
    return new HostingError('UPSTREAM_FAILED', `The key for the model ${model} was refused; ${said}`, {
      details: 'Set another key in the environment, or save one with mcp models login.',
    })
  if (status === 404)
    return new HostingError('UPSTREAM_FAILED', `There is no model ${model} at its vendor; ${said}`)
  if (status === 429) {
    const seconds = fault.responseHeaders?.['retry-after']
    const when = seconds ? ` Try again in ${seconds} s.` : ''
    return new HostingError('UPSTREAM_FAILED', `The model ${model} is rate limited; ${said}${when}`)
  }
  if (status === 529 || status === 503)
    return new HostingError('UNAVAILABLE', `The model ${model} is overloaded; ${said}`)
  return new HostingError('UPSTREAM_FAILED', `The model ${model} failed; ${said}`)
}

/** Behind "failed after 3 attempts" stands what failed last. */
function rootOf(fault: Fault): Fault {
  return fault?.lastError ? rootOf(fault.lastError) : (fault ?? {})
}

function networkCode(fault: Fault): string | undefined {
  for (let at: Fault | undefined = fault; at; at = at.cause)
    if (/^(E[A-Z]+|UND_ERR_[A-Z_]+)$/.test(String(at.code))) return at.code
  return undefined
}

const MAX_MESSAGE_LENGTH = 500

/** Cut, and without anything that looks like a key: some endpoints repeat it in their refusal. */
function messageOf({ message }: Fault): string {
  const text = (message ?? 'no reason was given').replace(/\b(sk|key|Bearer)[-_ ][\w*.-]{6,}/gi, '$1-…')
  return text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text
}
