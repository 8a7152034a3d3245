/**
 * An answer that asks: the call ends with these requests, and the handler runs anew with their answers in
 * `context.inputResponses` and `state` in `context.requestState`. For handlers that want to say themselves what is kept
 * between two tries; `context.elicit` and its like do the same without a word.
 */
export interface InputRequired {
  readonly [INPUT_REQUIRED]: true
  readonly requests: Readonly<Record<string, { method: string; params: Record<string, unknown> }>>
  readonly state: unknown
}

export const INPUT_REQUIRED: unique symbol = Symbol.for('mcp-hosting.input-required') as never

/** `state`: any JSON; signed by the server, readable by the client. */
export function inputRequired(options: {
  requests?: Record<string, { method: string; params?: Record<string, unknown> }>
  state?: unknown
}): InputRequired {
  const requests = Object.entries(options.requests ?? {}).map(
    ([key, { method, params = {} }]) => [key, { method, params }] as const,
  )
  return { [INPUT_REQUIRED]: true, requests: Object.fromEntries(requests), state: options.state }
}

/** An error that the client gets as a JSON-RPC error, as it is: `throw new McpError(-32602, 'Unknown city')`. */
export class McpError extends Error {
  override readonly name = 'McpError'
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}
