import * as z from 'zod'
import { projectStateSchema } from '../../../shared/contract/fields.ts'
import {
  createProjectSchema,
  projectPageSchema,
  projectSchema,
  updateProjectSchema,
} from '../../../shared/contract/projects/projects.ts'
import { SOURCE_LIMIT_BYTES, sourceTooLarge } from '../../../shared/contract/projects/source-limit.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema } from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the project.') })
const one = { 200: { description: 'The project.', schema: projectSchema } }

export function projectsEndpoints({ projects, sources }: Services) {
  const record = ({ id }: z.output<typeof params>) => projects.get(id)

  const createProject = dataEndpoint({
    operationId: 'createProject',
    summary: 'Create a project',
    body: createProjectSchema,
    answers: { 201: { description: 'The project.', schema: projectSchema } },
    errors: ['CONFLICT', 'UPSTREAM_FAILED'],
    run: ({ body }) => projects.create(body),
  })

  const listProjects = dataEndpoint({
    operationId: 'listProjects',
    summary: 'List projects, newest first',
    query: z.strictObject({
      name: z.string().optional().describe('Only projects with this name.'),
      status: projectStateSchema
        .optional()
        .describe('Only projects in this state. Default: all except deleted ones.'),
      limit: limitSchema,
      nextToken: pageTokenSchema,
    }),
    answers: { 200: { description: 'A page of projects.', schema: projectPageSchema } },
    run: ({ query: { limit, nextToken, ...filter } }) => projects.list(filter, limit, nextToken),
  })

  const getProject = dataEndpoint({
    operationId: 'getProject',
    summary: 'Show a project, even if it is deleted',
    params,
    record,
    answers: one,
    run: ({ params }) => projects.get(params.id),
  })

  const updateProject = dataEndpoint({
    operationId: 'updateProject',
    summary: 'Update a project. Its status archives, reactivates or deletes it',
    params,
    record,
    body: updateProjectSchema,
    answers: one,
    errors: ['CONFLICT', 'UPSTREAM_FAILED'],
    run: ({ params, body, checkPrecondition }) => projects.update(params.id, body, checkPrecondition),
  })

  const putSource = dataEndpoint({
    operationId: 'putProjectSource',
    summary: 'Upload the source of a project as a .tar.gz or .zip archive',
    params,
    record,
    query: z.strictObject({
      digest: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'expected 64 hexadecimal digits')
        .optional()
        .describe('SHA-256 of the archive. With an empty body, an archive that is already stored is used.'),
    }),
    binary: {
      types: ['application/gzip', 'application/zip', 'application/octet-stream'],
      limitBytes: SOURCE_LIMIT_BYTES,
      tooLarge: sourceTooLarge,
    },
    answers: one,
    errors: ['CONFLICT', 'UPSTREAM_FAILED'],
    async run({ params, query, bytes, checkPrecondition }) {
      await sources.upload(params.id, bytes, { digest: query.digest, check: checkPrecondition })
      return projects.get(params.id)
    },
  })

  return { createProject, listProjects, getProject, updateProject, putSource }
}
