import { HostingError } from '../../../shared/errors.ts'

/** Error for a program that did not start as a server, with its output. Returns other errors unchanged. */
export function toProgramError(error: unknown): unknown {
  const { trace, message } = (error as { cause?: { trace?: unknown; message?: string } }).cause ?? {}
  if (!(error instanceof HostingError) || typeof trace !== 'string') return error
  return new HostingError(error.code, `The program cannot be served: ${message}.`, {
    details: trace || undefined,
    next: [{ description: 'Try the command in a terminal: it must wait for messages on its standard input' }],
    cause: error,
  })
}
