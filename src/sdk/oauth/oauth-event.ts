/** What happened, for the operator's log. Never holds a secret, code, token or state. */
export interface OAuthEvent {
  type: 'sign-in-failed' | 'code-reused' | 'refresh-token-reused' | 'token-mapper-failed' | 'request-failed'
  message: string
  clientId?: string
  providerId?: string
  /** Names, codes and messages of the errors that led to it, the outermost first. */
  reason?: string
}

const MAX_CAUSES = 5

/**
 * An error and its causes in words. Nothing but names, codes and messages: the errors of HTTP and OAuth libraries carry requests
 * and answers with tokens in them as properties.
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
