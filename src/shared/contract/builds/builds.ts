import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import {
  buildStateSchema,
  deploymentIdSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_MCP_ID,
  environmentSchema,
  failureSchema,
  isoTime,
  mcpIdSchema,
  templateSchema,
} from '../fields.ts'
import { phaseEventsOf } from '../phase-events.ts'

const namedBuild = named('Build', 'A build: one version of a server.', {
  mcp_id: EXAMPLE_MCP_ID,
  name: 'greeter',
  status: 'ready',
  url: 'http://127.0.0.1:23232/mcp',
  build_time: 0.076,
})

/** Records of /v1/build (service interface 2.2). */

export const buildRecordSchema = namedBuild.object({
  mcp_id: mcpIdSchema,
  name: z.string().describe('Name of the server.'),
  status: buildStateSchema,
  url: z.string().describe("MCP endpoint of the server's preview. Empty until its first build is ready."),
  build_time: z.number().describe('Duration of the build in seconds.'),
  // Extensions
  template: templateSchema.optional(),
  digest: z.string().nullable().optional().describe('SHA-256 of the artifact. Null if there is none.'),
  tools: z.array(z.string()).optional().describe('Names of the tools.'),
  resources: z.array(z.string()).optional().describe('URIs of the resources.'),
  prompts: z.array(z.string()).optional().describe('Names of the prompts.'),
  project_id: z.string().nullable().optional().describe('Id of the project that the build belongs to.'),
  created_at: isoTime.optional().describe('Creation time.'),
  expires_at: isoTime.optional().describe('Extension: expiry of a temporary build.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe('Extension: accepted settings that have no effect, one sentence each.'),
  error: failureSchema.optional().describe('Why the build failed. Absent otherwise.'),
})

/** POST /v1/build with `Accept: text/event-stream` */
export const buildEventSchema = phaseEventsOf(buildRecordSchema, {
  id: 'BuildEvent',
  of: 'build',
  phase: 'installing its packages',
})

export const surfaceChangeSchema = named('SurfaceChange', 'A change that clients see.').object({
  kind: z.enum(['breaking', 'compatible']).describe('Effect on clients.'),
  path: z.string().meta(described('What changed.', 'tools.greet.inputSchema.name')),
  message: z.string().describe('The change in one sentence.'),
})

const namedSurfaceReport = named(
  'SurfaceReport',
  "Changes in a build that clients of the server's live deployments will see.",
  {
    mcp_id: EXAMPLE_MCP_ID,
    items: [
      {
        environment: 'production',
        deployment_id: EXAMPLE_DEPLOYMENT_ID,
        against: 'mcp_0b6v3c8z1x5w9q2m7k4h',
        breaking: true,
        changes: [{ kind: 'breaking', path: 'tools.greet', message: 'is removed' }],
      },
    ],
  },
)

/** GET /v1/build/{mcp_id}/surface */
export const surfaceReportSchema = namedSurfaceReport.object({
  mcp_id: mcpIdSchema,
  items: z
    .array(
      named('SurfaceComparison', 'Changes compared with one live deployment.').object({
        environment: environmentSchema,
        deployment_id: deploymentIdSchema,
        against: z.string().describe('Id of the build that is live in the environment.'),
        breaking: z.boolean().describe('At least one change breaks clients.'),
        changes: z.array(surfaceChangeSchema).describe('Changes that clients see.'),
      }),
    )
    .describe('One entry per environment in which the server is live.'),
})

export type BuildRecord = z.infer<typeof buildRecordSchema>
export type SurfaceReport = z.infer<typeof surfaceReportSchema>
