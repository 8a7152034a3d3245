import { HostingError } from '../../../shared/errors.ts'

/** A program that did not become a server: with what it said itself. Anything else is given back as it is. */
export function toProgramError(error: unknown): unknown {
  const { trace, message } = (error as { cause?: { trace?: unknown; message?: string } }).cause ?? {}
  if (!(error instanceof HostingError) || typeof trace !== 'string') return error
  return new HostingError(error.code, `It cannot be served: ${message}.`, {
    details: trace || undefined,
    next: [{ description: 'Try the command in a terminal: it must wait for messages on its standard input' }],
    cause: error,
  })
}
