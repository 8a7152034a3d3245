import type { Agent, IncomingMessage, RequestOptions } from 'node:http'

type Send = (
  url: URL,
  options: RequestOptions,
  callback: (incoming: IncomingMessage) => void,
) => ReturnType<typeof import('node:http').request>

/**
 * Uses `process.getBuiltinModule`, because an `import` of `node:http` evaluates its WebSocket getter. That loads Node's whole
 * fetch implementation and adds 25 ms to start-up (https://nodejs.org/api/http.html#class-websocket).
 */
export function openTransport(base: URL): { request: Send; agent: Agent | undefined } {
  const transport =
    base.protocol === 'https:'
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http')
  // The global agent lets the daemon's health check and the request share a connection.
  if (isLoopback(base.hostname)) return { request: transport.request, agent: undefined }
  // HTTPS_PROXY, HTTP_PROXY and NO_PROXY apply to remote addresses only.
  const agent = new transport.Agent({ keepAlive: true, proxyEnv: process.env })
  return { request: transport.request, agent }
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Limits memory use, because a hosted API could send an endless response. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024

export function readText(incoming: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('error', reject)
    incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MAX_RESPONSE_BYTES)
        incoming.destroy(new Error(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`))
      else chunks.push(chunk)
    })
  })
}
