import { createRedactor } from '../log/redact.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import type { ClientContext } from '../server/client-context.ts'
import { InputRequired } from '../server/input-required.ts'
import { explainDenied } from './denied-access.ts'
import { SOURCE_ROOT } from './load-bundle.ts'

/** Logs and describes errors that handlers throw. */
export class HandlerErrors {
  readonly #redact: (value: unknown) => unknown
  readonly #log: (message: string) => void

  /** `log` writes to the deployment's log, which gets the stack trace. */
  constructor(env: Readonly<Record<string, string>>, log: (message: string) => void) {
    this.#redact = createRedactor(Object.values(env))
    this.#log = log
  }

  /**
   * Returns a message for the client, without stack trace, environment values or the path of a denied access. Rethrows valid
   * answers: questions and protocol errors.
   */
  describe(name: string, error: unknown, { signal }: ClientContext): string {
    throwProtocolError(error)
    const denied = explainDenied(error)
    if (!signal.aborted) this.#log(`${name} failed: ${describeStack(error)}`)
    const message = denied ?? (error instanceof Error ? error.message || error.name : String(error))
    return String(this.#redact(message))
  }
}

/** Stack trace with paths relative to the project. */
export function describeStack(error: unknown): string {
  explainDenied(error)
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const lines = stack.split('\n').filter(line => !INTERNAL_FRAME.test(line))
  return lines.join('\n').replaceAll(`file://${SOURCE_ROOT}`, '').replaceAll(SOURCE_ROOT, '')
}

/** Frames of this program and of Node, which do not help the author of a handler. */
const INTERNAL_FRAME = /^\s+at .*(?:node:internal|\/instance[-\w]*\.js|\/instance\/[-\w]+\.js)/

function throwProtocolError(error: unknown): void {
  if (error instanceof InputRequired) throw error
  // A missing capability is a protocol error. Other errors from a question may be sent to the model.
  if (error instanceof RpcError && error.code === RPC.missingCapability) throw error
  if (!(error instanceof Error) || error.name !== 'McpError') return
  const { code, message, data } = error as Error & { code?: unknown; data?: unknown }
  if (typeof code === 'number' && Number.isInteger(code)) throw new RpcError(code, message, data)
}
