/** Public API `mcp-hosting/oauth`. */
export { type AuthErrorOptions, createAuthError } from '../auth-error.ts'
export { expressHandler } from './adapters/express.ts'
export { honoHandler } from './adapters/hono.ts'
export { type FetchComponent, nodeListener } from './adapters/node.ts'
export {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from './authorization-server.ts'
export type { ConfiguredClient } from './clients/find-client.ts'
export type { Connection } from './connection.ts'
export { OAuthError, type OAuthErrorCode } from './oauth-error.ts'
export type { OAuthEvent } from './oauth-event.ts'
export { createOAuthProxy, type OAuthProxyOptions } from './oauth-proxy.ts'
export type { CommonOptions } from './options.ts'
export { expressBearer, honoBearer, nodeBearer } from './resource/bearer.ts'
export { getToken } from './resource/get-token.ts'
export {
  type AuthInfo,
  createProtectedResource,
  type ProtectedResource,
  type ProtectedResourceOptions,
} from './resource/protected-resource.ts'
export { createTokenVerifier, type IssuerKeys, type TokenVerifier } from './resource/token-verifier.ts'
export { type MemoryStorageOptions, memoryStorage } from './storage/memory.ts'
export { type SqliteStorage, type SqliteStorageOptions, sqliteStorage } from './storage/sqlite.ts'
export type { OAuthStorage, RecordKind } from './storage/storage.ts'
export type { AccessTokenClaims } from './tokens/access-token.ts'
export type { TokenMapper, TokenResponse } from './tokens/token-mapper.ts'
export {
  auth0,
  customProvider,
  discord,
  github,
  gitlab,
  google,
  keycloak,
  microsoft,
  okta,
  openIdProvider,
  slack,
} from './upstream/presets.ts'
export type { ProviderConfig, UpstreamAccount, UpstreamTokens, UserInfo } from './upstream/provider.ts'
