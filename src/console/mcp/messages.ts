/** A JSON-RPC message of any kind. */
export interface Message {
  jsonrpc: '2.0'
  id?: string | number | null
  method?: string
  params?: Params
  result?: Params
  error?: { code?: unknown; message?: unknown; data?: unknown }
}

export type Params = Record<string, unknown>

/** Question from a server during a request: a form to fill in, a URL to open, or a prompt to answer as the model. */
export interface Question {
  method: string
  params: Params
}

/** A request to the server. */
export interface McpRequest {
  method: string
  params?: Params
  /** Tool, prompt or URI that the request is about. */
  about?: string
  /** Headers that repeat arguments (SEP-2243). */
  headers?: Record<string, string>
  signal: AbortSignal
  /** Receives progress and log messages. Without it, a modern server sends none. */
  onNotification?(method: string, params: Params): void
  /** Answers a question. Rejects when the user refuses. */
  onQuestion?(question: Question): Promise<Params>
}

/** An error with the server's own message. */
export class McpError extends Error {
  override readonly name = 'McpError'
  readonly code: number | undefined
  readonly data: unknown

  constructor({ code, message, data }: NonNullable<Message['error']>) {
    super(typeof message === 'string' ? message : JSON.stringify(message ?? null))
    this.code = typeof code === 'number' ? code : undefined
    this.data = data
  }
}

/** The server requires a token from its own sign-in. */
export class SignInRequiredError extends Error {
  override readonly name = 'SignInRequiredError'
}

/** The value if it is text, otherwise undefined. Servers can send any type anywhere. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

export function isObject(value: unknown): value is Params {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
