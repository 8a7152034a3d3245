import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeListener } from '../../../../src/sdk/oauth/adapters/node.ts'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
} from '../../../../src/sdk/oauth/authorization-server.ts'
import { close, type IdentityProvider, listen, startIdentityProvider } from './identity-provider.ts'

export const SIGNING_SECRET = 'a signing secret of more than thirty-two bytes'

export interface Mounted extends AsyncDisposable {
  issuer: string
  server: AuthorizationServer
  identityProvider: IdentityProvider
  /** Replaces the component with a new one with the same options, like a restart. */
  restart(options?: Partial<AuthorizationServerOptions>): void
}

export const CALLBACK = 'http://127.0.0.1/callback'

/** Starts an authorization server on loopback with a real identity provider. */
export async function mountAuthorizationServer(
  options: Partial<AuthorizationServerOptions> = {},
  application: (server: AuthorizationServer) => RequestListener = nodeListener,
): Promise<Mounted> {
  let listener: RequestListener = (_request, response) => response.end()
  const http = createServer((request, response) => listener(request, response))
  await listen(http)
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const identityProvider = await startIdentityProvider(`${issuer}/oauth/callback`)
  const create = (more: Partial<AuthorizationServerOptions> = {}) => {
    const server = createAuthorizationServer({
      issuer,
      upstreamProvider: identityProvider.config,
      signingSecret: SIGNING_SECRET,
      clients: [{ client_id: 'tool', client_name: 'A tool', redirect_uris: [CALLBACK] }],
      ...options,
      ...more,
    })
    listener = application(server)
    return server
  }
  const mounted: Mounted = {
    issuer,
    server: create(),
    identityProvider,
    restart(more) {
      mounted.server = create(more)
    },
    async [Symbol.asyncDispose]() {
      await identityProvider[Symbol.asyncDispose]()
      await close(http)
    },
  }
  return mounted
}
