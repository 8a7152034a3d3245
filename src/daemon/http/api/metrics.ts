import * as z from 'zod'
import { liveMetricsSchema } from '../../../shared/metrics.ts'
import { ENVIRONMENTS } from '../../../shared/states.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
import { wholeNumber } from '../path-ids.ts'

const query = z.strictObject({
  environment: z.enum(ENVIRONMENTS).optional(),
  deploymentId: z.string().max(128).optional(),
  /** Seconds between two events of the stream. */
  interval: wholeNumber({ min: 1, max: 3600 }).default(2),
})

export function metricsEndpoints({ deploymentMetrics }: Services) {
  const getMetrics = endpoint({
    operationId: 'getMetrics',
    summary: 'See what all deployments do, once or as it happens',
    query,
    answers: {
      200: {
        description: 'Every live deployment',
        schema: liveMetricsSchema,
        events: liveMetricsSchema,
      },
    },
    run({ query: { interval, ...filter }, signal, accepts }) {
      if (!accepts('text/event-stream')) return { status: 200, data: deploymentMetrics.now(filter) }
      return {
        status: 200,
        events: deploymentMetrics.watch({ ...filter, intervalSeconds: interval, signal }),
      }
    },
  })

  return { getMetrics }
}
