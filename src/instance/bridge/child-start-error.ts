/** The program did not become a server; the message is the rest of "it cannot be served: …". */
export class ChildStartError extends Error {
  override readonly name = 'ChildStartError'
  /** What it last wrote to standard error. */
  readonly output: readonly string[]

  constructor(message: string, output: readonly string[] = []) {
    super(message)
    this.output = output
    // The daemon shows the trace of what cannot be loaded; here that is what the program said.
    this.stack = output.join('\n')
  }
}
