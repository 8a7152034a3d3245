import { sessionLabel } from '../../shared/session-label.ts'
import type { Exchange } from '../http/exchange.ts'
import { header } from '../http/headers.ts'

/**
 * Counts and logs a request that somebody else answers; the function that it gives is called at its end. `isTold`: who
 * answers tells of it, so here it is counted only while it runs.
 */
export function recordExchange(
  { tenant, request, response }: Exchange,
  { isTold = false }: { isTold?: boolean } = {},
): () => void {
  // The stream that a client holds open for what comes unasked is no request that waits for an answer.
  if (request.method === 'GET') return endWhenDraining({ tenant, request, response })
  const startedAt = performance.now()
  // At the end the request may have been parted from it.
  const { socket } = request
  const written = socket.bytesWritten
  tenant.counters.active++
  tenant.changed()
  return () => {
    const ms = performance.now() - startedAt
    const failed = response.statusCode >= 500
    tenant.counters.active--
    if (isTold && !failed) return tenant.changed()
    const method = header(request, 'mcp-method')
    const tool = method === 'tools/call' ? header(request, 'mcp-name') : undefined
    tenant.counters.count(method ?? '', tool, ms, failed)
    tenant.changed()
    const session = header(request, 'mcp-session-id')
    tenant.log.request({
      method: method ?? `${request.method} ${request.url}`,
      tool,
      ms,
      failed,
      bytes: Math.max(0, socket.bytesWritten - written),
      requestId: '',
      sessionId: session && sessionLabel(session),
    })
  }
}

/** A stream without an end of its own ends when its tenant leaves, unless its session stays: the client comes back to the next one. */
function endWhenDraining({ tenant, request, response }: Exchange): () => void {
  const end = () => {
    if (!tenant.keepsSessionOf(request)) response.destroy()
  }
  tenant.endlessStreams.add(end)
  return () => tenant.endlessStreams.delete(end)
}
