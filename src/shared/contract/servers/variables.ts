import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { ENV_NAME } from '../../names.ts'
import { checkVariableSizes, envValueSchema } from '../env-value.ts'
import {
  deploymentIdSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_TIME,
  environmentSchema,
  isoTime,
} from '../fields.ts'

/** `/v1/servers/{name}/env/{environment}`: variables stored for a server and environment (extension). */

const nameSchema = z
  .string()
  .regex(ENV_NAME, 'names must have only letters, digits and "_", and not start with a digit')

const variableSchema = named('Variable', 'A stored environment variable.').object({
  name: nameSchema.describe('Name of the variable.'),
  value: z
    .string()
    .nullable()
    .describe('The value. Null for a secret, and for a value that the daemon cannot decrypt.'),
  secret: z.boolean().describe('The value is never returned.'),
  released: z.boolean().describe('Whether the live deployment has this value.'),
  declared: z.boolean().describe('Whether the newest build can read it.'),
  updated_at: isoTime.describe('Time at which the value was stored.'),
})

const namedServerEnv = named('ServerEnv', 'Environment variables of a server in an environment.', {
  name: 'shop',
  environment: 'production',
  live_deployment: EXAMPLE_DEPLOYMENT_ID,
  variables: [
    {
      name: 'SHOP_URL',
      value: 'https://shop.example.com',
      secret: false,
      released: true,
      declared: true,
      updated_at: EXAMPLE_TIME,
    },
  ],
  missing: [{ name: 'API_KEY', required: false, secret: true }],
})

export const serverEnvSchema = namedServerEnv.object({
  name: z.string().describe('Name of the server.'),
  environment: environmentSchema,
  live_deployment: deploymentIdSchema
    .nullable()
    .describe('Id of the live deployment. Null if there is none.'),
  variables: z.array(variableSchema).describe('Stored variables, sorted by name.'),
  missing: z
    .array(
      z.object({
        name: nameSchema.describe('Name of the variable.'),
        required: z.boolean().describe('Deployments without a value are rejected.'),
        secret: z.boolean().describe('The value will never be returned.'),
        description: z.string().optional().describe('Purpose of the variable.'),
      }),
    )
    .describe('Variables that the newest build declares and that have no value and no default.'),
})

/** Values to store, in the format of deployment requests and `changeVariables`. */
export const variableValuesSchema = z
  .record(
    nameSchema,
    z.union([
      envValueSchema,
      z.strictObject({
        value: envValueSchema.describe('The value.'),
        secret: z
          .boolean()
          .optional()
          .describe(
            'Never return the value. By default true for variables that the server declares secret, for names such as `API_KEY` and for URLs with a password. A secret stays secret until it is removed.',
          ),
      }),
    ]),
  )
  .superRefine(checkVariableSizes)

const namedChangeVariablesRequest = named(
  'ChangeVariablesRequest',
  'Variables to store and to remove, all in one step.',
  { variables: { SHOP_URL: 'https://shop.example.com', OLD_URL: null } },
)

export const changeVariablesSchema = namedChangeVariablesRequest.strictObject({
  variables: z
    .record(nameSchema, z.union([...variableValuesSchema.valueType.options, z.null()]))
    .superRefine(checkVariableSizes)
    .refine(changes => Object.keys(changes).length > 0, 'must name at least one variable')
    .describe('Values to store. Null removes a variable. Other variables stay as they are.'),
})

export type ServerEnv = z.infer<typeof serverEnvSchema>
export type VariableValues = z.infer<typeof variableValuesSchema>
export type VariableChanges = z.infer<typeof changeVariablesSchema>['variables']
