import * as z from 'zod'
import {
  type DeploymentRecord,
  deploymentEventSchema,
  deploymentRecordSchema,
  deploymentStatusSchema,
  deployRequestSchema,
  reconfigureRequestSchema,
  rollbackRequestSchema,
} from '../../../shared/contract/deployments/deployments.ts'
import { pageOf } from '../../../shared/contract/envelope.ts'
import { deploymentStateSchema, environmentSchema } from '../../../shared/contract/fields.ts'
import type { Services } from '../../services/services.ts'
import { type Call, dataEndpoint, endpoint, type Reply } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema, serverFilterSchema } from '../path-ids.ts'
import { phaseEvents } from './phase-events.ts'

const params = z.object({ deployment_id: idSchema.describe('Id of the deployment.') })

const location = ['Location'] as const

const created = {
  201: {
    description: 'Finished: `deployed`, or `failed` with its error.',
    schema: deploymentRecordSchema,
    events: deploymentEventSchema,
    headers: location,
  },
  202: {
    description: 'Accepted. Continues in the background.',
    schema: deploymentRecordSchema,
    headers: location,
  },
}

const started = {
  200: {
    description: 'Finished: `deployed`, or `failed` with its error.',
    schema: deploymentStatusSchema,
  },
  202: {
    description: 'Accepted. Continues in the background.',
    schema: deploymentStatusSchema,
  },
}

export function deployEndpoints({ deployments, records }: Services) {
  const record = ({ deployment_id: id }: z.output<typeof params>) => records.status(deployments.get(id))

  type Accepted = ReturnType<typeof deployments.create>
  type Preferences = Pick<Call<unknown, unknown, unknown>, 'respondAsync' | 'header' | 'accepts'>

  async function answerCreated(
    { deployment, phases, done, warnings = [] }: Accepted & { warnings?: string[] },
    { respondAsync, header, accepts }: Preferences,
  ): Promise<Reply> {
    const withWarnings = (record: DeploymentRecord) => {
      const all = [...warnings, ...(record.warnings ?? [])]
      return all.length > 0 ? { ...record, warnings: all } : record
    }
    const headers = { Location: `/v1/deploy/${deployment.id}/status` }
    const answer = (status: 201 | 202, deployment: Accepted['deployment']): Reply => ({
      status,
      data: withWarnings(records.deployment(deployment)),
      record: records.status(deployment),
      headers,
    })
    if (respondAsync) return answer(202, deployment)
    // A stream cannot be stored for a repeated request.
    if (!accepts('text/event-stream') || header('idempotency-key') !== undefined)
      return answer(201, await done)
    const toRecord = (ended: Accepted['deployment']) => withWarnings(records.deployment(ended))
    return { status: 201, events: phaseEvents({ phases, done }, toRecord), headers }
  }

  const createDeployment = endpoint({
    operationId: 'createDeployment',
    summary: 'Deploy a build to an environment, replacing the live deployment without a failed request',
    body: deployRequestSchema,
    takesPrefer: true,
    answers: created,
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: ({ body, principal, ...preferences }) =>
      answerCreated(deployments.create(body, { author: principal.name }), preferences),
  })

  const listDeployments = dataEndpoint({
    operationId: 'listDeployments',
    summary: 'List deployments, newest first',
    query: z.strictObject({
      name: serverFilterSchema,
      environment: environmentSchema.optional().describe('Only deployments in this environment.'),
      status: deploymentStateSchema.optional().describe('Only deployments in this state.'),
      limit: limitSchema,
      cursor: pageTokenSchema,
    }),
    answers: {
      200: {
        description: 'A page of deployments.',
        schema: pageOf(deploymentStatusSchema, 'DeploymentPage'),
      },
    },
    run({ query: { limit, cursor, ...filter } }) {
      const { items, nextCursor } = deployments.list(filter, limit, cursor)
      const page = items.map(deployment => records.status(deployment))
      return { items: page, next_cursor: nextCursor }
    },
  })

  const getStatus = dataEndpoint({
    operationId: 'getDeploymentStatus',
    summary: 'Show a deployment',
    params,
    record,
    answers: { 200: { description: 'The deployment.', schema: deploymentStatusSchema } },
    run: ({ params }) => records.detailedStatus(deployments.get(params.deployment_id)),
  })

  const stop = dataEndpoint({
    operationId: 'stopDeployment',
    summary: 'Stop a deployment: new connections are refused, running requests finish',
    params,
    record,
    answers: { 200: { description: 'The stopped deployment.', schema: deploymentStatusSchema } },
    errors: ['CONFLICT'],
    run: async ({ params }) => records.status(await deployments.stop(params.deployment_id)),
  })

  const start = endpoint({
    operationId: 'startDeployment',
    summary: 'Start a stopped or failed deployment again',
    params,
    record,
    takesPrefer: true,
    answers: started,
    errors: ['CONFLICT'],
    async run({ params, respondAsync }) {
      const { deployment, done } = deployments.start(params.deployment_id)
      return respondAsync
        ? { status: 202, data: records.status(deployment) }
        : { status: 200, data: records.status(await done) }
    },
  })

  const restart = dataEndpoint({
    operationId: 'restartDeployment',
    summary: 'Replace the instances of a deployment',
    params,
    record,
    answers: { 200: started[200] },
    errors: ['CONFLICT'],
    run: async ({ params }) => records.status(await deployments.restart(params.deployment_id)),
  })

  const rollback = endpoint({
    operationId: 'rollbackDeployment',
    summary: 'Roll back to an earlier deployment, as a new deployment',
    params,
    record,
    body: rollbackRequestSchema,
    bodyOptional: true,
    takesPrefer: true,
    answers: created,
    errors: ['CONFLICT'],
    run: ({ params, body, principal, ...preferences }) =>
      answerCreated(
        deployments.rollback(params.deployment_id, { ...body, author: principal.name }),
        preferences,
      ),
  })

  const reconfigure = endpoint({
    operationId: 'reconfigureDeployment',
    summary: 'Change settings of a live deployment, as a new deployment',
    params,
    record,
    body: reconfigureRequestSchema,
    takesPrefer: true,
    answers: created,
    errors: ['CONFLICT'],
    run: ({ params, body: { message, ...changes }, principal, ...preferences }) =>
      answerCreated(
        deployments.reconfigure(params.deployment_id, changes, { message, author: principal.name }),
        preferences,
      ),
  })

  const remove = dataEndpoint({
    operationId: 'removeDeployment',
    summary: 'Kill a deployment and remove it with its logs',
    params,
    record,
    answers: { 204: { description: 'Removed.' } },
    run: ({ params }) => deployments.remove(params.deployment_id),
  })

  return { createDeployment, listDeployments, getStatus, stop, start, restart, rollback, reconfigure, remove }
}
