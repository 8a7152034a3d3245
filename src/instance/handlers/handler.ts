import type { CallContext } from '../prepared-server.ts'
import type { Answer } from './answer.ts'
import type { Scope } from './scope.ts'

/** What stands behind a tool or a resource. Throws a HandlerError for a failure that the client may read. */
export type Handler = (scope: Scope, call: CallContext) => Answer | Promise<Answer>

/** A failure whose message is meant for the client and holds no secret. */
export class HandlerError extends Error {
  override readonly name = 'HandlerError'
}
