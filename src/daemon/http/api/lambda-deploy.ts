import * as z from 'zod'
import { BUILD_PHASES } from '../../../shared/container-builds.ts'
import { healthReportSchema, logPageSchema } from '../../../shared/deployments.ts'
import { metricsHistorySchema } from '../../../shared/metrics.ts'
import { sessionLabel } from '../../../shared/session-label.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
import { idSchema, phaseSchema, wholeNumber } from '../path-ids.ts'

const params = z.object({ id: idSchema })

const logQuery = z.strictObject({
  limit: wholeNumber({ min: 1, max: 10_000 }).default(1000),
  nextToken: z.string().optional(),
  level: z.enum(['debug', 'info', 'warn', 'error']).optional(),
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  grep: z.string().min(1).max(200).optional(),
  tail: wholeNumber({ min: 0, max: 10_000 }).optional(),
  phase: phaseSchema([...BUILD_PHASES, 'RUN']).optional(),
  tool: z.string().optional(),
  sessionId: z.string().optional(),
  requestId: z.string().optional(),
  instance: z.string().optional(),
})

const metricsQuery = z.strictObject({
  since: z.iso.datetime({ offset: true }).optional(),
  until: z.iso.datetime({ offset: true }).optional(),
  /** Seconds. */
  step: wholeNumber({ min: 60, max: 86_400, multipleOf: 60 }).optional(),
})

export function lambdaDeployEndpoints(services: Services) {
  const { deployments, records, deploymentLogs, deploymentMetrics } = services

  const health = endpoint({
    operationId: 'getDeploymentHealth',
    summary: 'Check the health of a deployment',
    params,
    answers: { 200: { description: 'What was found', schema: healthReportSchema } },
    errors: ['NOT_FOUND'],
    run: async ({ params }) => ({ status: 200, data: await records.health(deployments.get(params.id)) }),
  })

  const logs = endpoint({
    operationId: 'getDeploymentLogs',
    summary: 'Read or follow the log of a deployment (or of a preview, by its mcp_id)',
    params,
    query: logQuery,
    answers: {
      200: {
        description: 'A page of lines',
        schema: logPageSchema,
        events: logPageSchema.shape.lines.element,
      },
    },
    errors: ['NOT_FOUND'],
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

  const metrics = endpoint({
    operationId: 'getDeploymentMetrics',
    summary: 'Read what a deployment answered within the last week, by time and by tool',
    params,
    query: metricsQuery,
    answers: { 200: { description: 'What was counted', schema: metricsHistorySchema } },
    errors: ['NOT_FOUND'],
    run: ({ params, query: { since, until, step } }) => {
      const { id } = deployments.get(params.id)
      return { status: 200, data: deploymentMetrics.history(id, { since, until, stepSeconds: step }) }
    },
  })

  return { health, logs, metrics }
}

/** Lines carry UTC, and times are compared as text. */
function toUtc(moment: string | undefined): string | undefined {
  return moment && new Date(moment).toISOString()
}
