import * as z from 'zod'
import { environmentSchema } from '../../../shared/contract/fields.ts'
import { liveMetricsSchema } from '../../../shared/contract/monitoring/metrics.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
import { wholeNumber } from '../path-ids.ts'

const query = z.strictObject({
  environment: environmentSchema.optional().describe('Only deployments in this environment.'),
  deploymentId: z
    .string()
    .max(128)
    .optional()
    .describe('Only this deployment, with its tools and instances.'),
  interval: wholeNumber({ min: 1, max: 3600 })
    .default(2)
    .describe('Seconds between two events of the stream.'),
})

export function metricsEndpoints({ deploymentMetrics }: Services) {
  const getMetrics = endpoint({
    operationId: 'getMetrics',
    summary: 'Show what all live deployments are doing, once or as a stream',
    query,
    answers: {
      200: {
        description: 'Every live deployment.',
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
