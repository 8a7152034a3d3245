import type { CallContext } from '../server/client-context.ts'
import type { Answer } from './answer.ts'
import type { Scope } from './templates/scope.ts'

/** Answers for a tool or a resource. Throws a HandlerError for failures that the client may see. */
export type Handler = (scope: Scope, call: CallContext) => Answer | Promise<Answer>

/** A failure whose message is written for the client and contains no secret. */
export class HandlerError extends Error {
  override readonly name = 'HandlerError'
}
