import { type IncomingHttpHeaders, request } from 'node:http'

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
}

/** A GET request to a port of loopback with any headers, which `fetch` does not allow. */
export function rawRequest(port: number, path: string, headers: Record<string, string>): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers, agent: false }, response => {
      response.resume()
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers }))
    })
    sent.on('error', reject)
    sent.end()
  })
}
