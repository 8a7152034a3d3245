import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { EXAMPLE_DEPLOYMENT_ID, EXAMPLE_MCP_ID, EXAMPLE_TIME, isoTime } from '../fields.ts'
import { STORE_ENVIRONMENTS } from '../states.ts'
import { CHANGE_ACTIONS, CHANGE_TYPES } from './change-types.ts'
import { liveMetricsSchema } from './metrics.ts'

/** GET /api/events (extension; docs/events.md). */

const changeEventSchema = named('ChangeEvent', 'A record was created, changed or removed.', {
  type: 'deployment',
  action: 'updated',
  id: EXAMPLE_DEPLOYMENT_ID,
  timestamp: EXAMPLE_TIME,
  server: 'greeter',
  environment: 'production',
  mcpId: EXAMPLE_MCP_ID,
  status: 'deployed',
}).object({
  type: z.enum(CHANGE_TYPES).describe('Kind of the record.'),
  action: z.enum(CHANGE_ACTIONS).describe('Kind of change.'),
  id: z
    .string()
    .meta(
      described(
        'Id of the record: a name for servers, variables and model vendors, a subdomain for mappings, the id of the deployment for releases and health.',
        EXAMPLE_DEPLOYMENT_ID,
      ),
    ),
  timestamp: isoTime.describe('Time of the change.'),
  server: z.string().optional().describe('Name of the server.'),
  environment: z
    .enum(STORE_ENVIRONMENTS)
    .optional()
    .describe('Environment. `preview` for instances of a preview.'),
  deploymentId: z.string().optional().describe('Deployment of an instance.'),
  mcpId: z.string().optional().describe('Build of the record.'),
  projectId: z.string().optional().describe('Project of a container build.'),
  status: z
    .string()
    .optional()
    .describe('New state, as the record shows it. For health, the status of its report.'),
  phase: z.string().optional().describe('Current phase of a build or a release.'),
  version: z.int().optional().describe('Version of a release.'),
})

const resetEventSchema = named(
  'ResetEvent',
  'The client is new, or has missed changes. It must reload everything that it shows.',
  { type: 'reset', reason: 'new' },
).object({
  type: z.literal('reset').describe('Kind of the event.'),
  reason: z
    .enum(['new', 'restarted', 'missed'])
    .describe(
      '`new`: a request without `Last-Event-ID`. `restarted`: the id is too old, or from another daemon. `missed`: the client was too slow.',
    ),
})

const metricsEventSchema = liveMetricsSchema
  .extend({ type: z.literal('metrics').describe('Kind of the event.') })
  .meta({ id: 'MetricsEvent', description: 'Current activity of live deployments.' })

export const feedEventSchema = z
  .discriminatedUnion('type', [changeEventSchema, resetEventSchema, metricsEventSchema])
  .meta({ id: 'FeedEvent', description: 'An event of the feed.' })

export type ChangeEvent = z.infer<typeof changeEventSchema>
export type ResetEvent = z.infer<typeof resetEventSchema>
export type MetricsEvent = z.infer<typeof metricsEventSchema>
export type FeedEvent = z.infer<typeof feedEventSchema>
