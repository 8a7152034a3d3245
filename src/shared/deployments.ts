import * as z from 'zod'
import { deploymentAuthSchema } from './deployment-auth.ts'
import { domainFault, ENV_NAME, HOST_NAME, IMAGE_REFERENCE } from './names.ts'
import { networkSchema } from './network/network-schema.ts'
import { BUILD_STATES, DEPLOYMENT_STATES, ENVIRONMENTS, TEMPLATES } from './states.ts'

/** Requests and records of /v1/build and /v1/deploy (service interface 2.2, 2.4, 4.1, 4.3, 4.4; docs/decisions.md). */

const isoTime = z.iso.datetime()
const failure = z.object({ code: z.string(), message: z.string(), details: z.string().optional() })

export const buildRecordSchema = z.object({
  mcp_id: z.string(),
  name: z.string(),
  status: z.enum(BUILD_STATES),
  url: z.string(),
  /** Seconds. */
  build_time: z.number(),
  // Extensions
  template: z.enum(TEMPLATES).optional(),
  digest: z.string().nullable().optional(),
  tools: z.array(z.string()).optional(),
  resources: z.array(z.string()).optional(),
  prompts: z.array(z.string()).optional(),
  project_id: z.string().nullable().optional(),
  created_at: isoTime.optional(),
  error: failure.optional(),
  /** What was accepted but has no effect, one sentence each. */
  warnings: z.array(z.string()).optional(),
})

export const deployConfigSchema = z.strictObject({
  domain: z
    .string()
    .regex(HOST_NAME, 'expected a host name such as mcp.example.com')
    .refine(text => domainFault(text) === undefined, { error: ({ input }) => domainFault(String(input)) })
    .optional(),
  scaling: z
    .strictObject({
      min_instances: z.int().min(0).max(100).default(1),
      max_instances: z.int().min(1).max(100).default(10),
    })
    .refine(({ min_instances, max_instances }) => min_instances <= max_instances, {
      error: ({ input }) => {
        const { min_instances, max_instances } = input as { min_instances: number; max_instances: number }
        return `min_instances (${min_instances}) must not exceed max_instances (${max_instances}; 10 when it is left out)`
      },
    })
    .optional(),
  env_vars: z
    .record(z.string().regex(ENV_NAME, 'letters, digits and "_", not starting with a digit'), z.string())
    .optional(),
  // Extensions
  /** Handlers, modules and programs may reach loopback, private and link-local addresses. */
  allow_private_network: z.boolean().optional(),
  /** The only hosts that they may reach, or `none`. The public network when absent. Not in containers. */
  network: networkSchema.optional(),
  log_level: z.enum(['debug', 'info']).optional(),
  /** A handler of a module that has not answered by then is given up; 60 when absent. */
  timeout_seconds: z.number().min(0.1).max(3600).optional(),
  /** A session of the 2025 era that nobody uses stays so long with the release that began it; 0: it moves with each release. */
  session_seconds: z.int().min(0).max(86_400).optional(),
  /** Where it runs: in processes of this machine (the default), or in containers. */
  engine: z.enum(['process', 'container']).optional(),
  /** Runs instead of the image that is made of the build; with the engine `container` alone. */
  image: z
    .string()
    .regex(IMAGE_REFERENCE, 'the name of an image, such as ghcr.io/team/weather:1.2')
    .optional(),
  /** Of each instance; `cpus` with the engine `container` alone, `pids` of programs too. */
  limits: z
    .strictObject({
      /**
       * A process that holds more is replaced by a new one. 512 when absent; in other environments 384 for processes. A program
       * with everything that it starts is killed above twice as much.
       */
      memory_mb: z.int().min(16).max(1_048_576).optional(),
      /** Processors, for example 0.5; no limit when absent. */
      cpus: z.number().min(0.01).max(1024).optional(),
      /** Processes and threads; when absent 256 in a container, 512 of a program with everything that it starts. */
      pids: z.int().min(8).max(1_000_000).optional(),
    })
    .optional(),
  /** Clients sign their user in; open to everybody on this machine when absent. */
  auth: deploymentAuthSchema.optional(),
})

export const deployRequestSchema = z.strictObject({
  mcp_id: z.string().min(1).max(128),
  environment: z.enum(ENVIRONMENTS),
  config: deployConfigSchema.optional(),
  /**
   * Extension: `false` refuses a release that breaks clients of the one that is live there (409), `true` tells that it is
   * meant. Nothing is checked when it is absent.
   */
  allow_breaking: z.boolean().optional(),
})

/** GET /v1/build/{mcp_id}/surface */
export const surfaceReportSchema = z.object({
  mcp_id: z.string(),
  /** One for each environment in which the server is live. */
  items: z.array(
    z.object({
      environment: z.enum(ENVIRONMENTS),
      deployment_id: z.string(),
      /** The build that is live there. */
      against: z.string(),
      breaking: z.boolean(),
      changes: z.array(
        z.object({ kind: z.enum(['breaking', 'compatible']), path: z.string(), message: z.string() }),
      ),
    }),
  ),
})

/** POST /v1/deploy/{id}/rollback; the body may be left out. */
export const rollbackRequestSchema = z.strictObject({
  /** The deployment to go back to; the one before when absent. */
  to: z.string().min(1).max(128).optional(),
})

export const deploymentRecordSchema = z.object({
  deployment_id: z.string(),
  status: z.enum(DEPLOYMENT_STATES),
  url: z.string(),
  /** Seconds. */
  deploy_time: z.number(),
  health_check: z.string(),
  /** Extension: of a protected deployment, who issues its tokens, and the address to register at the identity provider. */
  sign_in: z.object({ issuer: z.string(), callback_url: z.string() }).optional(),
  /** Extension: why it failed; null or absent otherwise. */
  error: failure.nullable().optional(),
  /** Extension: settings that were accepted but are not applied, and environment variables that a rollback changed, one sentence each. */
  warnings: z.array(z.string()).optional(),
})

/** Requests that were answered. Quantiles in milliseconds, within 3.2 %. */
export const requestSummarySchema = z.object({
  total: z.int(),
  /** Answered with a JSON-RPC error, a tool error or an HTTP status of 500 and above. */
  errors: z.int(),
  errorRate: z.number(),
  p50Ms: z.number(),
  p99Ms: z.number(),
})

export const instanceSchema = z.object({
  id: z.string(),
  state: z.enum(['starting', 'ready', 'draining', 'stopped']),
  pid: z.int().nullable(),
  uptimeSeconds: z.number(),
  restarts: z.int(),
  /** What the one that it replaced did, for example "was killed: out of memory (…)". */
  lastFailure: z.string().optional(),
  memoryBytes: z.int(),
  activeRequests: z.int(),
  /** Extension: answered by this instance. */
  requests: requestSummarySchema.optional(),
})

const promisesSchema = z.object({
  /** `shared`: one of many servers in a process; `dedicated`: processes of its own. */
  placement: z.enum(['dedicated', 'shared']),
  /** 0: it may sleep. */
  min_instances: z.int(),
  max_instances: z.int(),
  /** Sleeps after so long without a connection or a request; null: never. */
  idle_seconds: z.number().nullable(),
  /** `gradual`: a release drains while the next one serves, and keeps its sessions; `at_once`: all moves with the next one. */
  release: z.enum(['gradual', 'at_once']),
  session_seconds: z.number(),
  log_level: z.enum(['info', 'debug']),
  /** Deployments of the server that are kept, the live one among them; null: all. */
  kept_deployments: z.int().nullable(),
  /** An instance that holds more is replaced; null: it shares its process. */
  memory_mb: z.int().nullable(),
})

export const deploymentStatusSchema = deploymentRecordSchema.extend({
  mcp_id: z.string(),
  /** The server's name. */
  name: z.string(),
  environment: z.enum(ENVIRONMENTS),
  domain: z.string().nullable(),
  subdomain: z.string().nullable(),
  /** MCP endpoints by name, http and https, the custom domain's first. */
  named_urls: z.array(z.string()),
  /** As given, `env_vars` values masked. */
  config: deployConfigSchema,
  instances: z.array(instanceSchema),
  /** What its environment and configuration promise. */
  promises: promisesSchema.optional(),
  /** Extension: what keeps the program from the machine. Absent for servers that run none, and in lists. */
  isolation: z
    .object({
      sandbox: z.enum(['bubblewrap', 'none']),
      /** What is not in force, each as the rest of a sentence about the program. Empty when everything is. */
      gaps: z.array(z.string()),
    })
    .optional(),
  /** Deployments before it that still serve sessions which began there. */
  staying_sessions: z.array(z.object({ deployment_id: z.string(), sessions: z.int() })).optional(),
  created_at: isoTime,
  updated_at: isoTime,
  stopped_at: isoTime.nullable(),
  error: failure.nullable(),
})

/** GET /api/lambda-deploy/{id}/health */
export const healthReportSchema = z.object({
  deploymentId: z.string(),
  status: z.enum(['healthy', 'degraded', 'unhealthy', 'stopped']),
  checkedAt: isoTime,
  instances: z.array(instanceSchema),
  /** Since the deployment was made. */
  requests: requestSummarySchema,
  /** Extension: of the last minutes. */
  recent: requestSummarySchema.extend({ windowSeconds: z.int() }).optional(),
  /** Extension: `requests` by tool, those that were called most often first. */
  tools: z.array(requestSummarySchema.extend({ tool: z.string() })).optional(),
  checks: z.array(z.object({ name: z.string(), status: z.enum(['pass', 'fail']), message: z.string() })),
})

/** GET /api/lambda-deploy/{id}/logs */
export const logPageSchema = z.object({
  id: z.string(),
  status: z.string(),
  lines: z.array(
    z.looseObject({
      timestamp: isoTime,
      stream: z.string(),
      phase: z.string(),
      message: z.string(),
      level: z.string().optional(),
      instance: z.string().optional(),
    }),
  ),
  nextToken: z.string().nullable(),
})

export type BuildRecord = z.infer<typeof buildRecordSchema>
export type SurfaceReport = z.infer<typeof surfaceReportSchema>
export type DeployConfig = z.infer<typeof deployConfigSchema>
export type DeployRequest = z.infer<typeof deployRequestSchema>
export type DeploymentRecord = z.infer<typeof deploymentRecordSchema>
export type DeploymentStatus = z.infer<typeof deploymentStatusSchema>
export type InstanceReport = z.infer<typeof instanceSchema>
export type HealthReport = z.infer<typeof healthReportSchema>
export type LogPage = z.infer<typeof logPageSchema>
export type Failure = z.infer<typeof failure>
