import * as z from 'zod'
import {
  BUILD_PHASES,
  containerBuildLogSchema,
  containerBuildPageSchema,
  containerBuildSchema,
} from '../../../shared/contract/container-builds.ts'
import { containerBuildStateSchema } from '../../../shared/contract/fields.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
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

  const trigger = endpoint({
    operationId: 'triggerContainerBuild',
    summary: 'Start a container build of the source of a project',
    params: z.object({ projectId: idSchema.describe('Id of the project.') }),
    answers: { 201: { description: 'The build, `pending`.', schema: containerBuildSchema } },
    errors: ['NOT_FOUND', 'NO_SOURCE', 'CONFLICT'],
    run: ({ params }) => ({ status: 201, data: containerBuilds.trigger(params.projectId) }),
  })

  const list = endpoint({
    operationId: 'listContainerBuilds',
    summary: 'List container builds, newest first',
    query: z.strictObject({
      projectId: z.string().optional().describe('Only builds of this project.'),
      status: containerBuildStateSchema.optional().describe('Only builds in this state.'),
      limit: limitSchema,
      nextToken: pageTokenSchema,
    }),
    answers: { 200: { description: 'A page of builds.', schema: containerBuildPageSchema } },
    run: ({ query: { limit, nextToken, ...filter } }) => ({
      status: 200,
      data: containerBuilds.list(filter, limit, nextToken),
    }),
  })

  const get = endpoint({
    operationId: 'getContainerBuild',
    summary: 'Show a container build',
    params,
    record,
    answers: { 200: { description: 'The build.', schema: containerBuildSchema } },
    errors: ['NOT_FOUND'],
    run: ({ params }) => ({ status: 200, data: containerBuilds.get(params.id) }),
  })

  const stop = endpoint({
    operationId: 'stopContainerBuild',
    summary: 'Stop a container build',
    params,
    record,
    answers: { 200: { description: 'The stopped build.', schema: containerBuildSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    run: ({ params }) => ({ status: 200, data: containerBuilds.stop(params.id) }),
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
    errors: ['NOT_FOUND'],
    async run({ params, query, signal, accepts }) {
      if (accepts('text/event-stream'))
        return { status: 200, events: containerBuilds.followLogs(params.id, signal) }
      return { status: 200, data: await containerBuilds.logs(params.id, query) }
    },
  })

  return { trigger, list, get, stop, logs }
}
