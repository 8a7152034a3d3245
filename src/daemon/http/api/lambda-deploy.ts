import * as z from 'zod'
import { healthReportSchema } from '../../../shared/contract/monitoring/health-reports.ts'
import { logPageSchema } from '../../../shared/contract/monitoring/log-pages.ts'
import { metricsHistorySchema } from '../../../shared/contract/monitoring/metrics.ts'
import { BUILD_PHASES } from '../../../shared/contract/states.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import { logQuerySchema, readLog, timeSchema } from '../log-query.ts'
import { idSchema, phaseSchema, wholeNumber } from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the deployment.') })
const logParams = z.object({ id: idSchema.describe('Id of the deployment, or of a build for its preview.') })

const logQuery = logQuerySchema.extend({
  phase: phaseSchema([...BUILD_PHASES, 'RUN'])
    .optional()
    .describe('Only lines of this phase: `RUN`, or a phase of the build.'),
})

export const metricsQuerySchema = z.strictObject({
  since: timeSchema.describe('Start of the period. By default an hour before its end.'),
  until: timeSchema.describe('End of the period. By default now.'),
  step: wholeNumber({ min: 60, max: 86_400, multipleOf: 60 })
    .optional()
    .describe('Length of a step in seconds, a multiple of 60. By default as short as the period allows.'),
})

export function lambdaDeployEndpoints(services: Services) {
  const { deployments, records, deploymentLogs, deploymentMetrics } = services

  const health = dataEndpoint({
    operationId: 'getDeploymentHealth',
    summary: 'Check the health of a deployment',
    params,
    answers: { 200: { description: 'The report.', schema: healthReportSchema } },
    run: ({ params }) => records.health(deployments.get(params.id)),
  })

  const logs = endpoint({
    operationId: 'getDeploymentLogs',
    summary: 'Read or follow the log of a deployment, or of a preview',
    params: logParams,
    query: logQuery,
    answers: {
      200: {
        description: 'A page of lines.',
        schema: logPageSchema,
        events: logPageSchema.shape.lines.element,
        resumable: true,
      },
    },
    run: ({ params, ...call }) => readLog(deploymentLogs, params.id, call),
  })

  const metrics = dataEndpoint({
    operationId: 'getDeploymentMetrics',
    summary: 'Read the requests of a deployment in the last week, by time and by tool',
    params,
    query: metricsQuerySchema,
    answers: { 200: { description: 'Counts.', schema: metricsHistorySchema } },
    run: ({ params, query: { since, until, step } }) => {
      const { id } = deployments.get(params.id)
      return deploymentMetrics.history(id, { since, until, stepSeconds: step })
    },
  })

  return { health, logs, metrics }
}
