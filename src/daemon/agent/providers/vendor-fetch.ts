/**
 * `fetch` for model vendors with support for HTTPS_PROXY, HTTP_PROXY and NO_PROXY, which Node's `fetch` ignores by default.
 * Undefined if no proxy is set. undici is loaded on the first request.
 */
export function vendorFetch(env: NodeJS.ProcessEnv = process.env): typeof fetch | undefined {
  const proxied = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some(name => env[name])
  if (!proxied) return undefined
  return async (input, init) => {
    // In a bundle, a lazy import of CommonJS has only a default export.
    const { default: undici } = await import('undici')
    agent ??= new undici.EnvHttpProxyAgent()
    return undici.fetch(
      input as string,
      { ...init, dispatcher: agent } as never,
    ) as unknown as Promise<Response>
  }
}

let agent: import('undici').EnvHttpProxyAgent | undefined
