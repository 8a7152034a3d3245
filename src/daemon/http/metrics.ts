import type { PrometheusPage } from '../services/metrics/prometheus-page.ts'
import { endpoint } from './endpoint.ts'

/**
 * GET /metrics, the usual path of exporters. These requests do not count towards the rate limit, because a scrape every 15 s
 * would use up a free key's limit. Query parameters are ignored, because scrapers add their own.
 */
export function metricsPage(page: PrometheusPage) {
  return endpoint({
    operationId: 'getPrometheusMetrics',
    summary: 'Read the metrics of the daemon and its servers for Prometheus',
    takesAnyQuery: true,
    isUncounted: true,
    answers: {
      200: {
        description: 'Prometheus text format. These requests do not count towards the rate limit.',
        text: 'text/plain',
      },
    },
    async run() {
      const { type, text } = await page.render()
      return { status: 200, bytes: Buffer.from(text), type }
    },
  })
}
