/** Failure of a program to start as an MCP server. The message completes "The program cannot be served: …". */
export class ChildStartError extends Error {
  override readonly name = 'ChildStartError'
  /** Last lines of the program's standard error. */
  readonly output: readonly string[]

  constructor(message: string, output: readonly string[] = []) {
    super(message)
    this.output = output
    // The daemon shows this instead of a stack trace.
    this.stack = output.join('\n')
  }
}
