import * as z from 'zod'
import { releasePageSchema } from '../../../shared/contract/deployments/releases.ts'
import { environmentSchema } from '../../../shared/contract/fields.ts'
import { serverLogPageSchema } from '../../../shared/contract/monitoring/log-pages.ts'
import { serverMetricsSchema } from '../../../shared/contract/monitoring/metrics.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import { logQuerySchema, readLog } from '../log-query.ts'
import { idSchema, limitSchema, pageTokenSchema } from '../path-ids.ts'
import { metricsQuerySchema } from './lambda-deploy.ts'

const params = z.object({ name: idSchema.describe('Name of the server.') })
const environment = environmentSchema.optional().describe('Only this environment.')
const logQuery = logQuerySchema.extend({ environment })

const logAnswers = {
  200: {
    description: 'A page of lines.',
    schema: serverLogPageSchema,
    events: serverLogPageSchema.shape.lines.element,
    resumable: true,
  },
}

/** History of servers, across their releases. */
export function serversEndpoints({ serverLogs, serverMetrics, releaseHistory }: Services) {
  const listReleases = dataEndpoint({
    operationId: 'listReleases',
    summary: 'List the releases of a server, newest first',
    params,
    query: z.strictObject({ environment, limit: limitSchema, nextToken: pageTokenSchema }),
    answers: { 200: { description: 'A page of releases.', schema: releasePageSchema } },
    run: ({ params: { name }, query: { environment, limit, nextToken } }) =>
      releaseHistory.list(name, environment, limit, nextToken),
  })

  const serverLog = endpoint({
    operationId: 'getServerLog',
    summary: 'Read or follow the log of a server across its releases',
    params,
    query: logQuery,
    answers: logAnswers,
    run: ({ params: { name }, query: { environment, ...query }, ...call }) =>
      readLog(serverLogs, { server: name, environment }, { ...call, query }),
  })

  const allLogs = endpoint({
    operationId: 'getAllLogs',
    summary: 'Read or follow the logs of all servers',
    query: logQuery,
    answers: logAnswers,
    run: ({ query: { environment, ...query }, ...call }) =>
      readLog(serverLogs, { environment }, { ...call, query }),
  })

  const metrics = dataEndpoint({
    operationId: 'getServerMetrics',
    summary: 'Read the requests of a server in the last week across its releases, by time and by tool',
    params,
    query: metricsQuerySchema.extend({ environment }),
    answers: { 200: { description: 'Counts by environment.', schema: serverMetricsSchema } },
    run: ({ params: { name }, query: { environment, since, until, step } }) =>
      serverMetrics.history({ server: name, environment }, { since, until, stepSeconds: step }),
  })

  return { listReleases, serverLog, allLogs, metrics }
}
