import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import {
  deploymentIdSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_TIME,
  environmentSchema,
  isoTime,
} from '../fields.ts'
import { instanceSchema, requestSummarySchema, toolSummarySchema } from './health-reports.ts'

/** Metrics in the API (extensions; docs/metrics.md). */

const REQUESTS = { total: 120, errors: 3, errorRate: 0.025, p50Ms: 2.1, p99Ms: 14.8 }

/** Counts since the deployment was created. */
const destinationSchema = named('Destination', 'A host that the code of a deployment connected to.').object({
  host: z.string().meta(described('Host. `(other)` stands for all other hosts.', 'api.github.com')),
  port: z.int().describe('Port.'),
  connections: z.int().describe('Number of connections.'),
  failures: z.int().describe('Failed connections.'),
  refusals: z.int().describe('Connections that the network settings refused.'),
  bytesSent: z.int().describe('Bytes sent to the host.'),
  bytesReceived: z.int().describe('Bytes received from the host.'),
  lastAt: isoTime.describe('Time of the last connection.'),
})

const historyExample = {
  since: EXAMPLE_TIME,
  until: EXAMPLE_TIME,
  stepSeconds: 60,
  requests: REQUESTS,
  points: [{ timestamp: EXAMPLE_TIME, ...REQUESTS }],
  tools: [{ tool: 'greet', ...REQUESTS }],
}

const namedMetricsHistory = named('MetricsHistory', 'Requests to a deployment over time.', {
  id: EXAMPLE_DEPLOYMENT_ID,
  ...historyExample,
})

/** GET /api/lambda-deploy/{id}/metrics */
export const metricsHistorySchema = namedMetricsHistory.object({
  id: deploymentIdSchema,
  since: isoTime.describe('Start of the period.'),
  until: isoTime.describe('End of the period.'),
  stepSeconds: z.int().describe('Length of a step in seconds.'),
  requests: requestSummarySchema.describe('Requests in the whole period.'),
  points: z
    .array(
      requestSummarySchema
        .extend({ timestamp: isoTime.describe('Start of the step.') })
        .meta({ id: 'MetricsPoint', description: 'Requests in one step.' }),
    )
    .describe('One entry per step, oldest first, including steps without requests.'),
  tools: z.array(toolSummarySchema).describe('Requests by tool, most called first.'),
  destinations: z
    .array(destinationSchema)
    .optional()
    .describe('Hosts that its modules and programs connected to, most used first.'),
})

const namedLiveMetrics = named('LiveMetrics', 'Current activity of all live deployments.', {
  timestamp: EXAMPLE_TIME,
  windowSeconds: 300,
  deployments: [
    {
      deploymentId: EXAMPLE_DEPLOYMENT_ID,
      name: 'greeter',
      environment: 'production',
      instances: 1,
      memoryBytes: 52428800,
      activeRequests: 0,
      requestsPerSecond: 0.4,
      requests: REQUESTS,
    },
  ],
})

/** GET /api/servers/{name}/metrics */
export const serverMetricsSchema = named(
  'ServerMetrics',
  'Requests to a server over time, across its releases.',
).object({
  name: z.string().describe('Name of the server.'),
  items: z
    .array(
      named('EnvironmentMetrics', 'Requests to all releases in one environment.', {
        ...historyExample,
        environment: 'production',
        releases: [{ version: 7, timestamp: EXAMPLE_TIME }],
      }).object({
        ...metricsHistorySchema.omit({ id: true }).shape,
        environment: environmentSchema,
        releases: z
          .array(
            z.object({
              version: z.int().describe('Version of the release.'),
              timestamp: isoTime.describe('Creation time.'),
            }),
          )
          .describe('Releases created in the period, oldest first.'),
      }),
    )
    .describe('One entry per environment with releases, production first.'),
})

/** GET /api/metrics, and each event of its stream. */
export const liveMetricsSchema = namedLiveMetrics.object({
  timestamp: isoTime.describe('Time of the measurement.'),
  windowSeconds: z.number().describe('Length of the window in seconds.'),
  deployments: z
    .array(
      named('LiveDeployment', 'Current activity of a deployment.').object({
        deploymentId: deploymentIdSchema,
        name: z.string().describe('Name of the server.'),
        environment: environmentSchema,
        instances: z.int().describe('Ready instances. 0 if it sleeps or is not running.'),
        memoryBytes: z
          .int()
          .describe(
            'Resident memory of their processes. Outside production, servers without code share one process.',
          ),
        activeRequests: z.int().describe('Requests in progress.'),
        requestsPerSecond: z.number().describe('Requests per second in the window.'),
        requests: requestSummarySchema.describe('Requests in the window.'),
        tools: z
          .array(toolSummarySchema)
          .optional()
          .describe(
            'Requests in the window by tool, most called first. Only if one deployment is requested.',
          ),
        running: z
          .array(instanceSchema)
          .optional()
          .describe('Instances with their requests since their start. Only if one deployment is requested.'),
      }),
    )
    .describe('Live deployments.'),
})

export type Destination = z.infer<typeof destinationSchema>
export type MetricsHistory = z.infer<typeof metricsHistorySchema>
export type ServerMetrics = z.infer<typeof serverMetricsSchema>
export type LiveMetrics = z.infer<typeof liveMetricsSchema>
