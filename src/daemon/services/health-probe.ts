import { get } from 'node:http'
import type { HealthReport } from '../../shared/health-reports.ts'

type Check = HealthReport['checks'][number]

/** Asks a server's own health endpoint the way a client would, through its public port. Never throws. */
export function probeHealth(url: string, timeoutMs = 2000): Promise<Check> {
  const startedMs = performance.now()
  return new Promise(resolve => {
    const tell = (status: Check['status'], message: string) => resolve({ name: 'endpoint', status, message })
    const request = get(url, { agent: false, timeout: timeoutMs }, response => {
      response.resume()
      const ms = Math.round(performance.now() - startedMs)
      tell(response.statusCode === 200 ? 'pass' : 'fail', `HTTP ${response.statusCode} in ${ms} ms`)
    })
    request.on('timeout', () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)))
    request.on('error', error => tell('fail', error.message))
  })
}
