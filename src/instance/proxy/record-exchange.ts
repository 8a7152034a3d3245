import { sessionLabel } from '../../shared/instances/session-label.ts'
import { header } from '../http/headers.ts'
import type { HttpExchange } from '../http/http-exchange.ts'

/**
 * Counts and logs a request that a program answers. The returned function must be called when the exchange ends. `isLogged`: the
 * program's own log reports the request, so only a failure is counted and logged here.
 */
export function recordExchange(
  { tenant, request, response, caller }: HttpExchange,
  { isLogged = false }: { isLogged?: boolean } = {},
): () => void {
  // A GET stream is not a request that waits for an answer.
  if (request.method === 'GET') return endWhenDraining({ tenant, request, response })
  const startedAt = performance.now()
  // The response may be detached from its socket at the end.
  const { socket } = request
  const written = socket.bytesWritten
  tenant.counters.active++
  tenant.changed()
  return () => {
    const ms = performance.now() - startedAt
    const failed = response.statusCode >= 500
    tenant.counters.active--
    if (isLogged && !failed) return tenant.changed()
    const method = header(request, 'mcp-method')
    const tool = method === 'tools/call' ? header(request, 'mcp-name') : undefined
    tenant.counters.count(method ?? '', tool, ms, failed)
    tenant.changed()
    const session = header(request, 'mcp-session-id')
    tenant.log.request({
      // Without the query, which may contain credentials.
      method: method ?? `${request.method} ${request.url?.split('?', 1)[0]}`,
      tool,
      ms,
      failed,
      reason: failed ? `HTTP status ${response.statusCode}` : undefined,
      bytes: Math.max(0, socket.bytesWritten - written),
      contentLength: request.headers['content-length'],
      requestId: '',
      sessionId: session && sessionLabel(session),
      caller: caller?.subject,
    })
  }
}

/** Closes a GET stream when the tenant drains, unless its session stays. The client then reconnects to the next release. */
function endWhenDraining({ tenant, request, response }: HttpExchange): () => void {
  const end = () => {
    if (!tenant.keepsSessionOf(request)) response.destroy()
  }
  tenant.endlessStreams.add(end)
  return () => tenant.endlessStreams.delete(end)
}
