/** Event for the operator's log. Never contains a secret, code, token or state. */
export interface OAuthEvent {
  type: 'sign-in-failed' | 'code-reused' | 'refresh-token-reused' | 'token-mapper-failed' | 'request-failed'
  message: string
  clientId?: string
  providerId?: string
  /** Names, codes and messages of the errors that caused the event, outermost first. */
  reason?: string
}

const MAX_CAUSES = 5

/**
 * Describes an error and its causes. Only uses names, codes and messages, because other properties of errors from HTTP and OAuth
 * libraries may contain tokens.
 */
export function describeReason(error: unknown): string {
  const reasons: string[] = []
  let current = error
  while (current instanceof Error && reasons.length < MAX_CAUSES) {
    const { code } = current as { code?: unknown }
    reasons.push(`${current.name}${typeof code === 'string' ? ` [${code}]` : ''}: ${current.message}`)
    current = current.cause
  }
  return reasons.join('; because of ')
}
