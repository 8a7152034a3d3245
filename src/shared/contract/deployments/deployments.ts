import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import {
  deploymentIdSchema,
  deploymentStateSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_MCP_ID,
  EXAMPLE_TIME,
  environmentSchema,
  failureSchema,
  isoTime,
  mcpIdSchema,
} from '../fields.ts'
import { instanceSchema } from '../monitoring/health-reports.ts'
import { phaseEventsOf } from '../phase-events.ts'
import { storeUsageSchema } from '../servers/server-store.ts'
import { variableValuesSchema } from '../servers/variables.ts'
import { configChangesShape, deployConfigSchema } from './deploy-config.ts'
import { releaseNotesSchema, releaseSummarySchema } from './releases.ts'

/** Requests and records of /v1/deploy (service interface 2.4, 4.3, 4.4; docs/decisions/deployments.md). */

const idInput = z.string().min(1).max(128)

const namedDeployRequest = named('DeployRequest', 'A release of a build to an environment.', {
  mcp_id: EXAMPLE_MCP_ID,
  environment: 'production',
  config: { domain: 'mcp.example.com', scaling: { min_instances: 1, max_instances: 4 } },
})

export const deployRequestSchema = namedDeployRequest.strictObject({
  mcp_id: idInput.meta(described('Id of the build to deploy.', EXAMPLE_MCP_ID)),
  environment: environmentSchema,
  config: deployConfigSchema.optional(),
  config_from: idInput
    .optional()
    .meta(
      described(
        'Extension: id of a deployment of the same server whose configuration is copied. Fields of `config` override it. Domain and variables are not copied to another environment.',
        EXAMPLE_DEPLOYMENT_ID,
      ),
    ),
  allow_breaking: z
    .boolean()
    .optional()
    .describe(
      '`false` rejects a release that breaks clients of the live one (409). `true` confirms such a release. By default, the releases are not compared.',
    ),
  variables: variableValuesSchema
    .optional()
    .describe(
      'Extension: variables to store for the server and environment, in the step that accepts the deployment. Later deployments get them, too.',
    ),
  release: releaseNotesSchema.optional(),
})

const messageSchema = releaseNotesSchema.shape.message

const namedReconfigureRequest = named(
  'ReconfigureRequest',
  'A release of the same build with a changed configuration.',
  {
    config: { limits: { memory_mb: 256 } },
    reset: ['log_level'],
  },
)

/** POST /v1/deploy/{id}/reconfigure */
export const reconfigureRequestSchema = namedReconfigureRequest.strictObject({
  ...configChangesShape,
  message: messageSchema,
})

const namedRollbackRequest = named('RollbackRequest', 'A rollback.', { to: EXAMPLE_DEPLOYMENT_ID })

/** POST /v1/deploy/{id}/rollback. The body is optional. */
export const rollbackRequestSchema = namedRollbackRequest.strictObject({
  to: idInput
    .optional()
    .meta(
      described('Id of the deployment to go back to. By default the previous one.', EXAMPLE_DEPLOYMENT_ID),
    ),
  message: messageSchema,
})

const deploymentExample = {
  deployment_id: EXAMPLE_DEPLOYMENT_ID,
  status: 'deployed',
  url: 'http://127.0.0.1:24872/mcp',
  deploy_time: 0.007,
  health_check: 'http://127.0.0.1:24872/health',
}

const warnings = z
  .array(z.string())
  .optional()
  .describe(
    'Extension: settings that were accepted but are not applied, and variables that a rollback changed, one sentence each.',
  )

export const deploymentRecordSchema = named('Deployment', 'A new deployment.', deploymentExample).object({
  deployment_id: deploymentIdSchema,
  status: deploymentStateSchema,
  url: z.string().describe('MCP endpoint of the deployment.'),
  deploy_time: z.number().describe('Duration of the deployment in seconds.'),
  health_check: z.string().describe('URL of the health endpoint of the server.'),
  version: z
    .int()
    .optional()
    .describe('Extension: number of the release, counted from 1 for each server and environment.'),
  sign_in: z
    .object({
      issuer: z.string().describe('Issuer of the tokens.'),
      callback_url: z.string().describe('Redirect URI to register at the identity provider.'),
    })
    .optional()
    .describe('Extension: sign-in of a protected deployment.'),
  error: failureSchema.nullable().optional().describe('Extension: why it failed. Null or absent otherwise.'),
  warnings,
})

/** POST /v1/deploy and /v1/deploy/{id}/rollback with `Accept: text/event-stream` */
export const deploymentEventSchema = phaseEventsOf(deploymentRecordSchema, {
  id: 'DeploymentEvent',
  of: 'deployment',
  phase: 'starting the server',
})

const promisesSchema = named(
  'Promises',
  'Guarantees of the environment and configuration of a deployment.',
).object({
  placement: z
    .enum(['dedicated', 'shared'])
    .describe('`dedicated`: its own processes. `shared`: a process with other servers.'),
  min_instances: z.int().describe('Minimum number of instances. 0: it may sleep.'),
  max_instances: z
    .int()
    .describe(
      'Maximum number of instances. Under load, no more instances are started than the machine has processors.',
    ),
  idle_seconds: z.number().nullable().describe('Idle time after which it sleeps. Null: it never sleeps.'),
  release: z
    .enum(['gradual', 'at_once'])
    .describe(
      '`gradual`: the old release drains and keeps its sessions. `at_once`: it is replaced immediately.',
    ),
  session_seconds: z.number().describe('Seconds that an idle session stays with its release.'),
  log_level: z.enum(['info', 'debug']).describe('Log level.'),
  record_bodies: z.boolean().describe('Request records keep arguments and answers.'),
  kept_deployments: z
    .int()
    .nullable()
    .describe('Number of deployments kept per server, including the live one. Null: all.'),
  memory_mb: z
    .int()
    .nullable()
    .describe('Memory limit of an instance in MiB. Null if it shares its process.'),
  network: z
    .enum(['namespace', 'process', 'none'])
    .optional()
    .describe(
      'Enforcement of the network settings of modules and programs: a network namespace, functions within their process, or nothing. Absent without user code and in containers.',
    ),
})

export const deploymentStatusSchema = deploymentRecordSchema
  .extend({
    mcp_id: mcpIdSchema,
    name: z.string().describe('Name of the server.'),
    environment: environmentSchema,
    domain: z.string().nullable().describe('Custom domain.'),
    subdomain: z.string().nullable().describe('Generated subdomain.'),
    named_urls: z
      .array(z.string())
      .describe('MCP endpoints by name, http and https, the custom domain first.'),
    config: deployConfigSchema.describe(
      'Configuration as given, with the stored variables. Values of `env_vars` are masked.',
    ),
    instances: z.array(instanceSchema).describe('Running instances.'),
    promises: promisesSchema.optional(),
    staying_sessions: z
      .array(
        z.object({
          deployment_id: deploymentIdSchema,
          sessions: z.int().describe('Number of sessions.'),
        }),
      )
      .optional()
      .describe('Earlier deployments that still serve their own sessions.'),
    store: storeUsageSchema
      .optional()
      .describe("Extension: size of its handlers' store. Absent while it is empty, and in lists."),
    isolation: z
      .object({
        sandbox: z.enum(['bubblewrap', 'none']).describe('Sandbox of the program.'),
        gaps: z
          .array(z.string())
          .describe('Missing protections. Each text completes a sentence that starts with "The program".'),
      })
      .optional()
      .describe(
        'Extension: isolation of the program from the machine. Absent without a program, and in lists.',
      ),
    created_at: isoTime.describe('Creation time.'),
    updated_at: isoTime.describe('Time of the last change.'),
    deployed_at: isoTime
      .nullable()
      .optional()
      .describe('Extension: time of the last start. Null if it never served.'),
    stopped_at: isoTime.nullable().describe('Time at which it was stopped. Null unless it is stopped.'),
    release: releaseSummarySchema.optional(),
    error: failureSchema.nullable().describe('Why it failed. Null otherwise.'),
  })
  .meta({
    id: 'DeploymentStatus',
    description: 'A deployment with its configuration and instances.',
    examples: [
      {
        ...deploymentExample,
        mcp_id: EXAMPLE_MCP_ID,
        name: 'greeter',
        environment: 'production',
        domain: 'mcp.example.com',
        subdomain: 'greeter',
        named_urls: ['https://mcp.example.com:6443/mcp'],
        config: { domain: 'mcp.example.com', scaling: { min_instances: 1, max_instances: 4 } },
        instances: [],
        created_at: EXAMPLE_TIME,
        updated_at: EXAMPLE_TIME,
        stopped_at: null,
        error: null,
      },
    ],
  })

export type DeployRequest = z.infer<typeof deployRequestSchema>
export type DeploymentRecord = z.infer<typeof deploymentRecordSchema>
export type DeploymentStatus = z.infer<typeof deploymentStatusSchema>
