import { EXIT } from '../command-line/exit-codes.ts'

/** Exits without a message when the reader closes the pipe (`mcp logs | head`). */
export function withPipeError(stream: NodeJS.WriteStream): NodeJS.WriteStream {
  return stream.listeners('error').includes(onPipeError) ? stream : stream.on('error', onPipeError)
}

function onPipeError(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(EXIT.done)
  throw error
}
