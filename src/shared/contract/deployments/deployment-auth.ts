import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { AUTH_PROVIDERS } from './auth-providers.ts'

const scopeName = z
  .string()
  .regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'expected a scope without spaces or quotes (RFC 6749 3.3)')

const urlSchema = z.url('expected a URL such as https://login.example.com')
const endpoint = urlSchema.optional()

export const clientSecretSchema = z.string().min(1)

/** `config.auth` of a deployment. */
export const deploymentAuthSchema = named(
  'DeploymentAuth',
  'How users sign in before the server answers (docs/sign-in.md).',
).strictObject({
  provider: z
    .enum(AUTH_PROVIDERS)
    .describe(
      'Identity provider. `local` is this daemon, for development. `openid` and `custom`: any other provider.',
    ),
  client_id: z
    .string()
    .min(1)
    .optional()
    .describe('Client id at the identity provider. Required except for `local`.'),
  client_secret: clientSecretSchema
    .optional()
    .describe('Client secret at the identity provider. Encrypted at rest, masked in responses.'),
  scopes: z
    .array(scopeName)
    .min(1)
    .optional()
    .meta({ description: 'Scopes that clients may request.', default: ['openid', 'profile', 'email'] }),
  required_scopes: z.array(scopeName).optional().describe('Scopes that each request needs.'),
  token_ttl: z
    .int()
    .min(60)
    .max(86_400)
    .optional()
    .meta({ description: 'Lifetime of access tokens in seconds.', default: 3600 }),
  domain: z.string().min(1).optional().describe('Domain of the account (`auth0`, `okta`).'),
  tenant: z.string().min(1).optional().describe('Tenant (`microsoft`).'),
  url: urlSchema.optional().describe('URL of the installation (`keycloak`, self-hosted `gitlab`).'),
  realm: z.string().min(1).optional().describe('Realm (`keycloak`).'),
  issuer: urlSchema.optional().describe('Issuer (`openid`, and `custom` with ID tokens).'),
  authorization_endpoint: endpoint.describe('Authorization endpoint (`custom`).'),
  token_endpoint: endpoint.describe('Token endpoint (`custom`).'),
  user_info_endpoint: endpoint.describe('User info endpoint (`custom`).'),
  provider_scopes: z
    .array(scopeName)
    .optional()
    .describe('Scopes requested from the identity provider instead of its usual ones.'),
})

export type DeploymentAuth = z.infer<typeof deploymentAuthSchema>
