import { egressPort } from '../../network/network-namespace.ts'

const LOOPBACK = 'localhost,127.0.0.1,::1'

/**
 * Variables that send a program's connections through the egress process. Node reads them with NODE_USE_ENV_PROXY. ALL_PROXY is
 * an HTTP proxy as well, because clients without a SOCKS library fail on a SOCKS proxy.
 */
export function proxyVariables(port = egressPort): Record<string, string> {
  if (port === undefined) return {}
  const proxy = `http://127.0.0.1:${port}`
  const named = { http_proxy: proxy, https_proxy: proxy, all_proxy: proxy, no_proxy: LOOPBACK }
  const upper = Object.entries(named).map(([name, value]) => [name.toUpperCase(), value])
  return { ...named, ...Object.fromEntries(upper), NODE_USE_ENV_PROXY: '1' }
}

const FAILURE =
  /ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|Connection refused|Network is unreachable|Could not resolve host|Temporary failure in name resolution|Name or service not known|no such host/

/** Explains a network failure once, because a program that ignores its proxy variables has no network. */
class NetworkHint {
  #isExplained = false
  readonly #isConfined: boolean

  constructor(isConfined = egressPort !== undefined) {
    this.#isConfined = isConfined
  }

  adviceAfter(line: string): string | undefined {
    if (this.#isExplained || !this.#isConfined || !FAILURE.test(line)) return undefined
    this.#isExplained = true
    return 'mcp-hosting: programs reach the network through the proxy in HTTP_PROXY and HTTPS_PROXY (HTTP CONNECT or SOCKS 5). If a client ignores these variables, configure its proxy, or set "allow_private_network": true for the deployment. See docs/isolation.md.'
  }
}

/** Shared by all programs of this process, because they belong to one server. */
export const networkHint = new NetworkHint()
