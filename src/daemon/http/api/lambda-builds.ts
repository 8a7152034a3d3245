import * as z from 'zod'
import {
  containerBuildLogSchema,
  containerBuildPageSchema,
  containerBuildSchema,
} from '../../../shared/contract/builds/container-builds.ts'
import { containerBuildStateSchema } from '../../../shared/contract/fields.ts'
import { BUILD_PHASES } from '../../../shared/contract/states.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import {
  idSchema,
  limitSchema,
  logLimitSchema,
  logTokenSchema,
  pageTokenSchema,
  phaseSchema,
} from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the container build.') })

export function lambdaBuildsEndpoints({ containerBuilds }: Services) {
  const record = ({ id }: z.output<typeof params>) => containerBuilds.get(id)

  const trigger = dataEndpoint({
    operationId: 'triggerContainerBuild',
    summary: "Start a container build of a project's source",
    params: z.object({ projectId: idSchema.describe('Id of the project.') }),
    answers: { 201: { description: 'The build, in the state `pending`.', schema: containerBuildSchema } },
    errors: ['NO_SOURCE', 'CONFLICT'],
    run: ({ params }) => containerBuilds.trigger(params.projectId),
  })

  const list = dataEndpoint({
    operationId: 'listContainerBuilds',
    summary: 'List container builds, newest first',
    query: z.strictObject({
      projectId: z.string().optional().describe('Only builds of this project.'),
      status: containerBuildStateSchema.optional().describe('Only builds in this state.'),
      limit: limitSchema,
      nextToken: pageTokenSchema,
    }),
    answers: { 200: { description: 'A page of builds.', schema: containerBuildPageSchema } },
    run: ({ query: { limit, nextToken, ...filter } }) => containerBuilds.list(filter, limit, nextToken),
  })

  const get = dataEndpoint({
    operationId: 'getContainerBuild',
    summary: 'Show a container build',
    params,
    record,
    answers: { 200: { description: 'The build.', schema: containerBuildSchema } },
    run: ({ params }) => containerBuilds.get(params.id),
  })

  const stop = dataEndpoint({
    operationId: 'stopContainerBuild',
    summary: 'Stop a container build',
    params,
    record,
    answers: { 200: { description: 'The stopped build.', schema: containerBuildSchema } },
    errors: ['CONFLICT'],
    run: ({ params }) => containerBuilds.stop(params.id),
  })

  const logs = endpoint({
    operationId: 'getContainerBuildLogs',
    summary: 'Read the log of a container build, or follow it to its end',
    params,
    query: z.strictObject({
      limit: logLimitSchema,
      nextToken: logTokenSchema,
      phase: phaseSchema(BUILD_PHASES).optional().describe('Only lines of this phase.'),
    }),
    answers: {
      200: {
        description: 'A page of lines.',
        schema: containerBuildLogSchema,
        events: containerBuildLogSchema.shape.lines.element,
      },
    },
    async run({ params, query, signal, accepts }) {
      if (accepts('text/event-stream'))
        return { status: 200, events: containerBuilds.followLogs(params.id, signal) }
      return { status: 200, data: await containerBuilds.logs(params.id, query) }
    },
  })

  return { trigger, list, get, stop, logs }
}
