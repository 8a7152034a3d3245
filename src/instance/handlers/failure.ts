import { createRedactor } from '../log/redact.ts'
import { HandlerError } from './handler.ts'

/** Error text for the client. Contains no environment values and no stack trace. */
export function describeFailure(error: unknown, env: Record<string, string>): string {
  const redact = createRedactor(Object.values(env))
  return String(redact(sentence(error)))
}

function sentence(error: unknown): string {
  if (error instanceof HandlerError) return error.message
  const { name, message } = error as Error
  if (name === 'AbortError') return 'the call was cancelled'
  // Liquid errors name the position in the template.
  if (name === 'RenderError' || name === 'ParseError' || name === 'TokenizationError')
    return `its template cannot be rendered: ${message}`
  return `it threw an error (${message})`
}
