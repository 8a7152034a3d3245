import type { Handler } from 'hono'
import type { PrometheusPage } from '../services/prometheus-page.ts'
import type { Bindings } from './endpoint.ts'
import { requireScope } from './scope.ts'

export const METRICS_ROUTE = { method: 'GET', path: '/metrics', access: 'READ' } as const

/**
 * GET /metrics, where every exporter has it. It takes a key with READ, as Prometheus can send one, and is no part of the
 * API: no envelope, and no rate limit, since a scrape every 15 s would use up a free key's hour. Query parameters are
 * ignored, because scrapers add their own.
 */
export function metricsPage(page: PrometheusPage): Handler<Bindings> {
  return async context => {
    requireScope(context, METRICS_ROUTE)
    const { type, text } = await page.render()
    return context.body(text, 200, { 'Content-Type': type })
  }
}
