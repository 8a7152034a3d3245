import { createRedactor } from '../log/redact.ts'
import { type ClientContext, InputRequired, RpcError } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { SOURCE_ROOT } from './load-bundle.ts'

/** What becomes of an error that a handler threw. */
export class ModuleFailure {
  readonly #redact: (value: unknown) => unknown
  readonly #log: (message: string) => void

  /** `log`: to the deployment's log, where the stack belongs. */
  constructor(env: Readonly<Record<string, string>>, log: (message: string) => void) {
    this.#redact = createRedactor(Object.values(env))
    this.#log = log
  }

  /**
   * The sentence for the client, without a stack and without a value of the environment. Throws what is no failure of the
   * handler but an answer of its own: questions, and errors of the protocol.
   */
  describe(name: string, error: unknown, { signal }: ClientContext): string {
    throwProtocolError(error)
    if (!signal.aborted) this.#log(`${name} failed: ${describeStack(error)}`)
    const message = error instanceof Error ? error.message || error.name : String(error)
    return String(this.#redact(message))
  }
}

/** Paths as the project has them. */
export function describeStack(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = stack.split('\n').filter(line => !INTERNAL_FRAME.test(line))
  return lines.join('\n').replaceAll(`file://${SOURCE_ROOT}`, '').replaceAll(SOURCE_ROOT, '')
}

/** Of this program and of Node; nobody who wrote a handler can do anything about them. */
const INTERNAL_FRAME = /^\s+at .*(?:node:internal|\/instance[-\w]*\.js|\/instance\/[-\w]+\.js)/

function throwProtocolError(error: unknown): void {
  if (error instanceof InputRequired) throw error
  // A client that cannot be asked hears it from the protocol; whatever else went wrong with a question, the model may read.
  if (error instanceof RpcError && error.code === RPC.missingCapability) throw error
  if (!(error instanceof Error) || error.name !== 'McpError') return
  const { code, message, data } = error as Error & { code?: unknown; data?: unknown }
  if (typeof code === 'number' && Number.isInteger(code)) throw new RpcError(code, message, data)
}
