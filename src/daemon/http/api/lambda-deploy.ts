import * as z from 'zod'
import { BUILD_PHASES } from '../../../shared/contract/container-builds.ts'
import { healthReportSchema } from '../../../shared/contract/health-reports.ts'
import { logPageSchema } from '../../../shared/contract/log-pages.ts'
import { metricsHistorySchema } from '../../../shared/contract/metrics.ts'
import { sessionLabel } from '../../../shared/instances/session-label.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import { idSchema, logLimitSchema, logTokenSchema, phaseSchema, wholeNumber } from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the deployment.') })
const logParams = z.object({ id: idSchema.describe('Id of the deployment, or of a build for its preview.') })

const timeSchema = z.iso.datetime({ offset: true }).optional()

const logQuery = z.strictObject({
  limit: logLimitSchema,
  nextToken: logTokenSchema,
  level: z.enum(['debug', 'info', 'warn', 'error']).optional().describe('Only lines of this level or above.'),
  since: timeSchema.describe('Only lines since this time.'),
  until: timeSchema.describe('Only lines until this time.'),
  grep: z.string().min(1).max(200).optional().describe('Only lines that contain this text.'),
  tail: wholeNumber({ min: 0, max: 10_000 }).optional().describe('Maximum number of newest lines.'),
  phase: phaseSchema([...BUILD_PHASES, 'RUN'])
    .optional()
    .describe('Only lines of this phase: `RUN`, or a phase of the build.'),
  tool: z.string().optional().describe('Only calls of this tool.'),
  sessionId: z.string().optional().describe('Only requests of this session.'),
  requestId: z.string().optional().describe('Only this request.'),
  instance: z.string().optional().describe('Only lines of this instance.'),
})

const metricsQuery = z.strictObject({
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
    async run({ params, query, signal, accepts, lastEventId: after }) {
      const { limit, nextToken, sessionId, ...rest } = query
      const filter = {
        ...rest,
        since: toUtc(rest.since),
        until: toUtc(rest.until),
        ...(sessionId !== undefined && { sessionId: sessionLabel(sessionId) }),
      }
      if (!accepts('text/event-stream'))
        return { status: 200, data: await deploymentLogs.page(params.id, { ...filter, limit, nextToken }) }
      deploymentLogs.requireFollowable(params.id, after)
      return { status: 200, resumable: deploymentLogs.follow(params.id, { ...filter, after, signal }) }
    },
  })

  const metrics = dataEndpoint({
    operationId: 'getDeploymentMetrics',
    summary: 'Read the requests of a deployment in the last week, by time and by tool',
    params,
    query: metricsQuery,
    answers: { 200: { description: 'Counts.', schema: metricsHistorySchema } },
    run: ({ params, query: { since, until, step } }) => {
      const { id } = deployments.get(params.id)
      return deploymentMetrics.history(id, { since, until, stepSeconds: step })
    },
  })

  return { health, logs, metrics }
}

/** Log lines are in UTC and compared as text. */
function toUtc(time: string | undefined): string | undefined {
  return time && new Date(time).toISOString()
}
