import { createRedactor } from '../log/redact.ts'
import { HandlerError } from './handler.ts'

/** What the client is told of a failure: never a value of the environment, never a stack. */
export function describeFailure(error: unknown, env: Record<string, string>): string {
  const redact = createRedactor(Object.values(env))
  return String(redact(sentence(error)))
}

function sentence(error: unknown): string {
  if (error instanceof HandlerError) return error.message
  const { name, message } = error as Error
  if (name === 'AbortError') return 'the call was cancelled'
  // Liquid's errors say where in the template; the text of the template itself is the author's and stays here.
  if (name === 'RenderError' || name === 'ParseError' || name === 'TokenizationError')
    return `its template cannot be rendered: ${message}`
  return `it met an error of its own (${message})`
}
