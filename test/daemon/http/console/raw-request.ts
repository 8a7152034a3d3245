import { type IncomingHttpHeaders, request } from 'node:http'

export interface RawAnswer {
  status: number
  headers: IncomingHttpHeaders
}

/** Sends a GET request to a loopback port with any headers, including those that `fetch` forbids. */
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
