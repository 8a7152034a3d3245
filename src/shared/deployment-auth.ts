import * as z from 'zod'
import { AUTH_PROVIDERS } from './auth-providers.ts'

const scopeName = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'a scope without spaces and quotes (RFC 6749 3.3)')

/** `config.auth` of a deployment: MCP clients sign their user in before the server answers them (docs/sign-in.md). */
export const deploymentAuthSchema = z.strictObject({
  provider: z.enum(AUTH_PROVIDERS),
  /** From the identity provider; of all but `local`. */
  client_id: z.string().min(1).optional(),
  /** Encrypted where it is kept, masked in answers. */
  client_secret: z.string().min(1).optional(),
  /** What tokens may be asked for; openid, profile and email when absent. */
  scopes: z.array(scopeName).min(1).optional(),
  /** Each request needs these. */
  required_scopes: z.array(scopeName).optional(),
  /** Seconds that an access token lives; 3600 when absent. */
  token_ttl: z.int().min(60).max(86_400).optional(),
  /** auth0, okta. */
  domain: z.string().min(1).optional(),
  /** microsoft. */
  tenant: z.string().min(1).optional(),
  /** keycloak; gitlab's own installation. */
  url: z.url().optional(),
  /** keycloak. */
  realm: z.string().min(1).optional(),
  /** openid; custom, when it has ID tokens. */
  issuer: z.url().optional(),
  /** custom. */
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
  user_info_endpoint: z.url().optional(),
  /** What the identity provider is asked for, where not its usual scopes. */
  provider_scopes: z.array(scopeName).optional(),
})

export type DeploymentAuth = z.infer<typeof deploymentAuthSchema>
