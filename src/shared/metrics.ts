import * as z from 'zod'
import { instanceSchema, requestSummarySchema } from './deployments.ts'
import { ENVIRONMENTS } from './states.ts'

/** Records of the metrics that the API tells (extensions; docs/metrics.md). */

const isoTime = z.iso.datetime()

/** A host and port that the code of a deployment connected to, or was refused, since the deployment was made. */
export const destinationSchema = z.object({
  /** `(other)`: further ones of a process that named very many. */
  host: z.string(),
  port: z.int(),
  connections: z.int(),
  /** Connections that could not be made. */
  failures: z.int(),
  /** Connections that the network settings refuse. */
  refusals: z.int(),
  bytesSent: z.int(),
  bytesReceived: z.int(),
  lastAt: isoTime,
})

/** GET /api/lambda-deploy/{id}/metrics */
export const metricsHistorySchema = z.object({
  id: z.string(),
  since: isoTime,
  until: isoTime,
  stepSeconds: z.int(),
  /** Of all points together. */
  requests: requestSummarySchema,
  /** Oldest first, one for each step, those without requests too. */
  points: z.array(requestSummarySchema.extend({ timestamp: isoTime })),
  /** By tool, those that were called most often first. */
  tools: z.array(requestSummarySchema.extend({ tool: z.string() })),
  /** Of modules and programs behind the network border, the most used ones first. */
  destinations: z.array(destinationSchema).optional(),
})

/** GET /api/metrics, and each event of its stream. */
export const liveMetricsSchema = z.object({
  timestamp: isoTime,
  /** The requests are those of so many seconds until then. */
  windowSeconds: z.number(),
  deployments: z.array(
    z.object({
      deploymentId: z.string(),
      /** The server's. */
      name: z.string(),
      environment: z.enum(ENVIRONMENTS),
      /** Ready ones; none: it sleeps, or does not run. */
      instances: z.int(),
      /** Resident memory of their processes; servers without code share one. */
      memoryBytes: z.int(),
      activeRequests: z.int(),
      requestsPerSecond: z.number(),
      requests: requestSummarySchema,
      /** Only where one deployment is asked for: the same requests by tool, those that were called most often first. */
      tools: z.array(requestSummarySchema.extend({ tool: z.string() })).optional(),
      /** Likewise; the requests of each are those since it was started. */
      running: z.array(instanceSchema).optional(),
    }),
  ),
})

export type Destination = z.infer<typeof destinationSchema>
export type MetricsHistory = z.infer<typeof metricsHistorySchema>
export type LiveMetrics = z.infer<typeof liveMetricsSchema>
