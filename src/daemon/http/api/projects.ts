import * as z from 'zod'
import {
  createProjectSchema,
  projectPageSchema,
  projectSchema,
  updateProjectSchema,
} from '../../../shared/projects.ts'
import { PROJECT_STATES } from '../../../shared/states.ts'
import type { Services } from '../../services/services.ts'
import { SOURCE_LIMIT_BYTES, tooLarge } from '../../services/sources.ts'
import { endpoint } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema } from '../path-ids.ts'

const params = z.object({ id: idSchema })
const one = { 200: { description: 'The project', schema: projectSchema } }

export function projectsEndpoints({ projects, sources }: Services) {
  const createProject = endpoint({
    operationId: 'createProject',
    summary: 'Make a project',
    body: createProjectSchema,
    answers: { 201: { description: 'The project', schema: projectSchema } },
    errors: ['UPSTREAM_FAILED'],
    run: async ({ body }) => ({ status: 201, data: await projects.create(body) }),
  })

  const listProjects = endpoint({
    operationId: 'listProjects',
    summary: 'List projects, newest first; deleted ones only when they are asked for',
    query: z.strictObject({
      name: z.string().optional(),
      status: z.enum(PROJECT_STATES).optional(),
      limit: limitSchema,
      nextToken: pageTokenSchema,
    }),
    answers: { 200: { description: 'A page of projects', schema: projectPageSchema } },
    run: ({ query: { limit, nextToken, ...filter } }) => ({
      status: 200,
      data: projects.list(filter, limit, nextToken),
    }),
  })

  const getProject = endpoint({
    operationId: 'getProject',
    summary: 'Show a project, a deleted one too',
    params,
    answers: one,
    errors: ['NOT_FOUND'],
    run: ({ params }) => ({ status: 200, data: projects.get(params.id) }),
  })

  const updateProject = endpoint({
    operationId: 'updateProject',
    summary: 'Change fields of a project; archive, reactivate or delete it by its status',
    params,
    body: updateProjectSchema,
    answers: one,
    errors: ['NOT_FOUND', 'CONFLICT', 'UPSTREAM_FAILED'],
    run: async ({ params, body }) => ({ status: 200, data: await projects.update(params.id, body) }),
  })

  const putSource = endpoint({
    operationId: 'putProjectSource',
    summary: 'Upload the source of a project, a .tar.gz or .zip archive; sets storageLocation and sourceId',
    params,
    query: z.strictObject({
      /** SHA-256 of the archive; with an empty body, that of one which is stored already. */
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits')
        .optional(),
    }),
    binary: {
      types: ['application/gzip', 'application/zip', 'application/octet-stream'],
      limitBytes: SOURCE_LIMIT_BYTES,
      tooLarge,
    },
    answers: one,
    errors: ['NOT_FOUND', 'CONFLICT', 'UPSTREAM_FAILED'],
    async run({ params, query, bytes }) {
      await sources.upload(params.id, bytes, query.digest)
      return { status: 200, data: projects.get(params.id) }
    },
  })

  return { createProject, listProjects, getProject, updateProject, putSource }
}
