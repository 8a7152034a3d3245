import type { Handler } from 'hono'
import type { PrometheusPage } from '../services/prometheus-page.ts'
import type { Bindings } from './endpoint.ts'
import { requireScope } from './scope.ts'

/**
 * GET /metrics, where every exporter has it. It takes a key with READ, as Prometheus can send one, and is no part of the
 * API: no envelope, and no rate limit, since a scrape every 15 s would use up a free key's hour.
 */
export function metricsPage(page: PrometheusPage): Handler<Bindings> {
  return async context => {
    requireScope(context.get('principal'), { method: 'GET', path: '/metrics', access: 'READ' })
    const { type, text } = await page.render()
    return context.body(text, 200, { 'Content-Type': type })
  }
}
