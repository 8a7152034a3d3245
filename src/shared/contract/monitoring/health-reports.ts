import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { deploymentIdSchema, EXAMPLE_DEPLOYMENT_ID, EXAMPLE_TIME, isoTime } from '../fields.ts'

/** Instances of a deployment, their requests and their health. */

export const requestSummarySchema = named(
  'RequestSummary',
  'Counts and latencies of answered requests.',
).object({
  total: z.int().describe('Number of requests.'),
  errors: z
    .int()
    .describe('Requests answered with a JSON-RPC error, a tool error or an HTTP status of 500 or above.'),
  errorRate: z.number().describe('Share of errors, 0 to 1.'),
  p50Ms: z.number().describe('Median latency in milliseconds, accurate to 3.2 %.'),
  p99Ms: z.number().describe('99th percentile of latency in milliseconds, accurate to 3.2 %.'),
})

export const toolSummarySchema = requestSummarySchema
  .extend({ tool: z.string().describe('Name of the tool.') })
  .meta({ id: 'ToolSummary', description: 'Counts and latencies of calls to a tool.' })

export const instanceSchema = named('Instance', 'An instance of a deployment.').object({
  id: z.string().describe('Id of the instance.'),
  state: z.enum(['starting', 'ready', 'draining', 'stopped']).describe('State of the instance.'),
  pid: z.int().nullable().describe('Id of its process. Null if there is none.'),
  uptimeSeconds: z.number().describe('Seconds since it started.'),
  restarts: z.int().describe('Number of restarts.'),
  lastFailure: z
    .string()
    .optional()
    .meta(described('How the previous instance failed.', 'was killed: out of memory (384 MiB)')),
  memoryBytes: z.int().describe('Resident memory of its process.'),
  activeRequests: z.int().describe('Requests in progress.'),
  requests: requestSummarySchema.optional().describe('Extension: requests answered by this instance.'),
})

const namedHealthReport = named('HealthReport', 'Health of a deployment.', {
  deploymentId: EXAMPLE_DEPLOYMENT_ID,
  status: 'healthy',
  checkedAt: EXAMPLE_TIME,
  instances: [],
  requests: { total: 120, errors: 3, errorRate: 0.025, p50Ms: 2.1, p99Ms: 14.8 },
  checks: [{ name: 'endpoint', status: 'pass', message: 'answered with 200' }],
})

/** GET /api/lambda-deploy/{id}/health */
export const healthReportSchema = namedHealthReport.object({
  deploymentId: deploymentIdSchema,
  status: z
    .enum(['healthy', 'degraded', 'unhealthy', 'stopped'])
    .describe('`degraded`: fewer instances than wanted, or half of the recent requests fail.'),
  checkedAt: isoTime.describe('Time of the check.'),
  instances: z.array(instanceSchema).describe('Running instances.'),
  requests: requestSummarySchema.describe('Requests since the deployment was created.'),
  recent: requestSummarySchema
    .extend({ windowSeconds: z.int().describe('Length of the window in seconds.') })
    .optional()
    .describe('Extension: requests of the last minutes.'),
  tools: z.array(toolSummarySchema).optional().describe('Extension: `requests` by tool, most called first.'),
  checks: z
    .array(
      z.object({
        name: z.string().describe('Name of the check.'),
        status: z.enum(['pass', 'fail']).describe('Result of the check.'),
        message: z.string().describe('Result in one sentence.'),
      }),
    )
    .describe('Checks that were made.'),
})

export type InstanceReport = z.infer<typeof instanceSchema>
export type HealthReport = z.infer<typeof healthReportSchema>
