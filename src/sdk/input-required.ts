/**
 * Result that requests input from the client. The handler then runs again with the responses in `context.inputResponses` and
 * `state` in `context.requestState`. For handlers that manage their state between runs themselves. `context.elicit`,
 * `sample` and `listRoots` do the same automatically.
 */
export interface InputRequired {
  readonly [INPUT_REQUIRED]: true
  readonly requests: Readonly<Record<string, { method: string; params: Record<string, unknown> }>>
  readonly state: unknown
}

export const INPUT_REQUIRED: unique symbol = Symbol.for('mcp-hosting.input-required') as never

/** `state`: any JSON. The server signs it, and the client can read it. */
export function inputRequired(options: {
  requests?: Record<string, { method: string; params?: Record<string, unknown> }>
  state?: unknown
}): InputRequired {
  const requests = Object.entries(options.requests ?? {}).map(
    ([key, { method, params = {} }]) => [key, { method, params }] as const,
  )
  return { [INPUT_REQUIRED]: true, requests: Object.fromEntries(requests), state: options.state }
}

/** Sent to the client unchanged as a JSON-RPC error: `throw new McpError(-32602, 'Unknown city')`. */
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
