import type { ToolResult } from './content.ts'

export interface AuthErrorOptions {
  /** Message for the model. */
  message: string
  /** URL of the resource metadata (RFC 9728), `https://…/.well-known/oauth-protected-resource`. */
  resourceMetadataUrl: string
  error?: 'invalid_token' | 'insufficient_scope' | (string & {})
  errorDescription?: string
  /** Scopes that a new token needs, separated by spaces. */
  scope?: string
}

/**
 * Result of a tool whose caller has no valid token. Its `_meta` contains the challenge of RFC 6750 in
 * `mcp/www_authenticate`. Clients that support it sign in and try again.
 */
export function createAuthError({
  message,
  resourceMetadataUrl,
  error = 'invalid_token',
  errorDescription = message,
  scope,
}: AuthErrorOptions): ToolResult {
  const parameters = {
    resource_metadata: resourceMetadataUrl,
    ...(scope !== undefined && { scope }),
    error,
    error_description: errorDescription,
  }
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { 'mcp/www_authenticate': [bearerChallenge(parameters)] },
  }
}

/** `WWW-Authenticate` value (RFC 6750 section 3). */
export function bearerChallenge(parameters: Record<string, string>): string {
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}=${quote(value)}`)
    .join(', ')}`
}

/** quoted-string of RFC 9110 section 5.6.4, which cannot contain control characters. */
function quote(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removes control characters.
  return `"${value.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/["\\]/g, '\\$&')}"`
}
