import type { ToolResult } from './content.ts'

export interface AuthErrorOptions {
  /** What the model is told. */
  message: string
  /** URL of the protected resource's metadata (RFC 9728), `https://…/.well-known/oauth-protected-resource`. */
  resourceMetadataUrl: string
  error?: 'invalid_token' | 'insufficient_scope' | (string & {})
  errorDescription?: string
  /** Scopes that a new token needs, by spaces. */
  scope?: string
}

/**
 * The answer of a tool whose caller has no token, or not the right one. Its `_meta` carries the challenge of RFC 6750 under
 * `mcp/www_authenticate`, which makes clients that know it sign in and try again.
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

/** A `WWW-Authenticate` value of RFC 6750 3. */
export function bearerChallenge(parameters: Record<string, string>): string {
  return `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}=${quote(value)}`)
    .join(', ')}`
}

/** A quoted-string of RFC 9110 5.6.4; line breaks and other control characters cannot be part of one. */
function quote(value: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to remove.
  return `"${value.replace(/[\u0000-\u001f\u007f]+/g, ' ').replace(/["\\]/g, '\\$&')}"`
}
