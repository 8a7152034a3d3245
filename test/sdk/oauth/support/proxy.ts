import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeListener } from '../../../../src/sdk/oauth/adapters/node.ts'
import type { AuthorizationServer } from '../../../../src/sdk/oauth/authorization-server.ts'
import { createOAuthProxy, type OAuthProxyOptions } from '../../../../src/sdk/oauth/oauth-proxy.ts'
import { close, listen } from './identity-provider.ts'

export interface MountedProxy extends AsyncDisposable {
  origin: string
  server: AuthorizationServer
}

export async function mountProxy(
  options: Partial<OAuthProxyOptions> & Pick<OAuthProxyOptions, 'providers'>,
  application: (server: AuthorizationServer) => RequestListener = nodeListener,
): Promise<MountedProxy> {
  const http = createServer()
  await listen(http)
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server = createOAuthProxy({
    baseUrl: origin,
    sessionSecret: 'a session secret of more than thirty-two bytes',
    ...options,
  })
  http.on('request', application(server))
  return { origin, server, [Symbol.asyncDispose]: () => close(http) }
}
