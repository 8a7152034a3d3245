import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { domainFault, ENV_NAME, HOST_NAME, IMAGE_REFERENCE } from '../../names.ts'
import { networkSchema } from '../../network/network-schema.ts'
import { checkVariableSizes, envValueSchema } from '../env-value.ts'
import { DEFAULT_SCALING } from './default-scaling.ts'
import { deploymentAuthSchema } from './deployment-auth.ts'
import { originsSchema } from './origins.ts'

/** `config` of a deployment (service interface 4.3). */

const limitsSchema = named('Limits', 'Resource limits of each instance.').strictObject({
  memory_mb: z
    .int()
    .min(16)
    .max(1_048_576)
    .optional()
    .describe(
      'Memory in MiB. An instance that uses more is replaced. By default 512, or 384 for processes outside production. A program is killed when it and its child processes use more than twice as much.',
    ),
  cpus: z
    .number()
    .min(0.01)
    .max(1024)
    .optional()
    .describe(
      'Maximum number of CPUs for a program or container, for example 0.5. Unlimited by default. For programs, it requires cgroups.',
    ),
  pids: z
    .int()
    .min(8)
    .max(1_000_000)
    .optional()
    .describe('Maximum number of processes and threads. Default: 256 for a container, 512 for a program.'),
})

export const deployConfigSchema = named('DeployConfig', 'Configuration of a deployment.').strictObject({
  domain: z
    .string()
    .regex(HOST_NAME, 'expected a host name such as mcp.example.com')
    .refine(text => domainFault(text) === undefined, { error: ({ input }) => domainFault(String(input)) })
    .optional()
    .meta(described('Custom domain. Only one live deployment at a time can have it.', 'mcp.example.com')),
  scaling: z
    .strictObject({
      min_instances: z
        .int()
        .min(0)
        .max(100)
        .default(DEFAULT_SCALING.min_instances)
        .describe('Minimum number of instances.'),
      max_instances: z
        .int()
        .min(1)
        .max(100)
        .default(DEFAULT_SCALING.max_instances)
        .describe('Maximum number of instances.'),
    })
    .refine(({ min_instances, max_instances }) => min_instances <= max_instances, {
      error: ({ input }) => {
        const { min_instances, max_instances } = input as { min_instances: number; max_instances: number }
        return `min_instances (${min_instances}) must not exceed max_instances (${max_instances}; default: ${DEFAULT_SCALING.max_instances})`
      },
    })
    .optional()
    .describe('Number of instances. Applied in production only.'),
  env_vars: z
    .record(
      z.string().regex(ENV_NAME, 'expected letters, digits and "_", not starting with a digit'),
      envValueSchema,
    )
    .superRefine(checkVariableSizes)
    .optional()
    .describe(
      'Values of the environment variables that the server declares. Encrypted at rest, masked in responses.',
    ),
  // Extensions
  allow_private_network: z.boolean().optional().meta({
    description: 'Handlers, modules and programs may reach loopback, private and link-local addresses.',
    default: false,
  }),
  network: networkSchema
    .optional()
    .describe(
      'Hosts that handlers, modules and programs may reach, or `none`. By default the public network. Not supported for containers.',
    ),
  log_level: z
    .enum(['debug', 'info'])
    .optional()
    .describe('`debug` logs every MCP message, redacted. By default `debug` in development, else `info`.'),
  record_bodies: z
    .boolean()
    .optional()
    .describe(
      'Records arguments and answers of requests, redacted. By default true if `log_level` is `debug`.',
    ),
  timeout_seconds: z
    .number()
    .min(0.1)
    .max(3600)
    .optional()
    .describe(
      'Time limit for a handler of a module, by default 60, or for a request to a program over stdio, by default its `timeoutMs`.',
    ),
  session_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .describe(
      'Seconds that an idle session of the 2025 protocol stays with its release. 0 moves sessions to each new release. By default 1800, in staging 900, in development 0.',
    ),
  engine: z.enum(['process', 'container']).optional().meta({
    description: 'Runs the server in processes on this machine, or in podman or docker containers.',
    default: 'process',
  }),
  image: z
    .string()
    .regex(IMAGE_REFERENCE, 'expected the name of an image, such as ghcr.io/team/weather:1.2')
    .optional()
    .meta(
      described(
        'Image to run instead of the one made from the build. Engine `container` only.',
        'ghcr.io/team/weather:1.2',
      ),
    ),
  limits: limitsSchema.optional(),
  auth: deploymentAuthSchema
    .optional()
    .describe('Sign-in of users. Without it, every client on this machine is served.'),
  origins: originsSchema
    .optional()
    .describe(
      'Origins whose pages may use the server, such as `https://app.example.com`, or `*` with `auth`. By default only its own pages.',
    ),
})

/** Settings with secrets. Responses mask the secrets, so a client could only send the masks back. */
const SECRET_SETTINGS = ['auth', 'env_vars'] as const

const changedSettingsSchema = deployConfigSchema.superRefine((config, context) => {
  for (const name of SECRET_SETTINGS.filter(name => config[name] !== undefined))
    context.addIssue({ code: 'custom', path: [name], message: 'cannot be changed without a deploy request' })
})

/** Changes to a deployment's configuration. */
export const configChangesShape = {
  config: changedSettingsSchema.optional().describe('Settings to replace, except `auth` and `env_vars`.'),
  reset: z
    .array(deployConfigSchema.keyof().exclude(SECRET_SETTINGS))
    .optional()
    .describe('Settings to restore to their defaults.'),
}

export type DeployConfig = z.infer<typeof deployConfigSchema>
export type ConfigChanges = Pick<z.infer<z.ZodObject<typeof configChangesShape>>, 'config' | 'reset'>
