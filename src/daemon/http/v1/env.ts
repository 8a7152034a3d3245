import * as z from 'zod'
import { deploymentRecordSchema } from '../../../shared/contract/deployments/deployments.ts'
import { environmentSchema } from '../../../shared/contract/fields.ts'
import { changeVariablesSchema, serverEnvSchema } from '../../../shared/contract/servers/variables.ts'
import { described } from '../../../shared/json/schema-metadata.ts'
import { SERVER_NAME } from '../../../shared/names.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'

const params = z.object({
  name: z
    .string()
    .regex(SERVER_NAME, 'must have 1 to 63 letters, digits, "-", "_" and "."')
    .meta(described('Name of the server. It may not exist yet.', 'shop')),
  environment: environmentSchema.describe('Environment of the deployments.'),
})

const description = 'The variables of the server in the environment.'

/** `/v1/servers/{name}/env/{environment}` */
export function envEndpoints({ deployments, records, variables }: Services) {
  const record = ({ name, environment }: z.output<typeof params>) => variables.version(name, environment)

  const getEnv = endpoint({
    operationId: 'getServerEnv',
    summary: 'Show the variables of a server in an environment, without the values of secrets',
    params,
    acceptsUnknownIds: true,
    record,
    answers: { 200: { description, schema: serverEnvSchema } },
    run: ({ params }) => ({
      status: 200,
      data: variables.get(params.name, params.environment),
      record: record(params),
    }),
  })

  const changeEnv = endpoint({
    operationId: 'changeServerEnv',
    summary: 'Store and remove environment variables of a server in an environment',
    params,
    acceptsUnknownIds: true,
    record,
    body: changeVariablesSchema,
    answers: { 200: { description, schema: serverEnvSchema } },
    run: ({ params, body }) => ({
      status: 200,
      data: variables.change(params.name, params.environment, body.variables),
      record: record(params),
    }),
  })

  const releaseEnv = endpoint({
    operationId: 'releaseServerEnv',
    summary: 'Redeploy the live build with the stored variables, without a failed request',
    params,
    acceptsUnknownIds: true,
    takesPrefer: true,
    answers: {
      201: {
        description: 'Finished: `deployed`, or `failed` with its error.',
        schema: deploymentRecordSchema,
        headers: ['Location'],
      },
      202: {
        description: 'Accepted. Continues in the background.',
        schema: deploymentRecordSchema,
        headers: ['Location'],
      },
    },
    async run({ params, respondAsync, principal }) {
      const origin = { author: principal.name, message: 'Stored variables' }
      const { deployment, done } = deployments.releaseVariables(params.name, params.environment, origin)
      const headers = { Location: `/v1/deploy/${deployment.id}/status` }
      return respondAsync
        ? { status: 202, data: records.deployment(deployment), headers }
        : { status: 201, data: records.deployment(await done), headers }
    },
  })

  return { getEnv, changeEnv, releaseEnv }
}
