import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { EXAMPLE_TIME, isoTime, itemPage, projectStateSchema } from '../fields.ts'

/** Service interface 2.7 and 4.7. docs/decisions/deployments.md covers what they leave open. */

const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters')

const name = line(100).min(1).meta(described('Name of the project.', 'weather'))
const description = z.string().max(2000).nullable()
/** `git@github.com:team/repo.git`, the short form of an ssh URL (git-clone(1) "GIT URLS"). */
const SCP_FORM = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s:]\S*$/

function isRepositoryUrl(text: string): boolean {
  if (/\s/.test(text)) return false
  const { protocol = '', hostname = '' } = URL.parse(text) ?? {}
  return (/^(https?|ssh|git|git\+ssh|git\+https?):$/.test(protocol) && hostname !== '') || SCP_FORM.test(text)
}

const repositoryUrl = line(2000)
  .refine(isRepositoryUrl, 'expected an http, https, ssh or git URL, or git@host:path')
  .nullable()

const facts = {
  description: description.optional().describe('Purpose of the project. Null clears it.'),
  repositoryUrl: repositoryUrl
    .optional()
    .meta(described('URL of the repository. Null clears it.', 'https://github.com/example/weather')),
  framework: line(100)
    .min(1)
    .nullable()
    .optional()
    .meta(described('Framework of the project. Null clears it.', 'fastmcp')),
  storageLocation: line(2000)
    .min(1)
    .nullable()
    .optional()
    .meta(
      described(
        'URI of the source archive. An upload sets it. Null clears it.',
        's3://sources/weather.tar.gz',
      ),
    ),
  templateId: z
    .uuid()
    .nullable()
    .optional()
    .describe('Id of the template that the project was created from. Null clears it.'),
  baseImage: line(500)
    .min(1)
    .nullable()
    .optional()
    .meta(
      described(
        'Extension: base image of its container builds: a reference, `oci:/folder[:name]` or `local`. Null uses the default of the daemon.',
        'registry.example.com/node:24',
      ),
    ),
}

const namedCreateProjectRequest = named('CreateProjectRequest', 'A new project.', {
  name: 'weather',
  description: 'Forecasts for models',
})

export const createProjectSchema = namedCreateProjectRequest.strictObject({ name, ...facts })

export const updateProjectSchema = z
  .strictObject({
    name: name.optional(),
    status: projectStateSchema
      .optional()
      .describe('New state: archives, reactivates or deletes the project.'),
    ...facts,
  })
  .refine(change => Object.values(change).some(value => value !== undefined), {
    error:
      'give at least one of name, description, repositoryUrl, framework, status, storageLocation, templateId, baseImage',
  })
  .meta({
    id: 'UpdateProjectRequest',
    description: 'Changes to a project. At least one field is required. Absent fields keep their values.',
    examples: [{ status: 'archived' }],
  })

const namedProject = named('Project', 'A project. Fields without a value are null.', {
  id: 'prj_4h7k2m9q5w1x8z3c6v0b',
  name: 'weather',
  description: 'Forecasts for models',
  repositoryUrl: null,
  framework: null,
  status: 'active',
  storageLocation: null,
  templateId: null,
  baseImage: null,
  sourceId: null,
  sourceDigest: null,
  sourceBytes: null,
  sourceUploadedAt: null,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
})

export const projectSchema = namedProject.object({
  id: z.string().meta(described('Id of the project.', 'prj_4h7k2m9q5w1x8z3c6v0b')),
  name: z.string().describe('Name of the project.'),
  description: z.string().nullable().describe('Purpose of the project.'),
  repositoryUrl: z.string().nullable().describe('URL of the repository.'),
  framework: z.string().nullable().describe('Framework of the project.'),
  status: projectStateSchema,
  storageLocation: z.string().nullable().describe('URI of the source archive.'),
  templateId: z.string().nullable().describe('Id of the template that the project was created from.'),
  baseImage: z.string().nullable().describe('Extension: base image of its container builds.'),
  sourceId: z
    .string()
    .nullable()
    .describe('Extension: value for `source` in a build request. Null without an uploaded archive.'),
  sourceDigest: z
    .string()
    .nullable()
    .describe('Extension: SHA-256 of the uploaded archive, in hexadecimal. Null if there is none.'),
  sourceBytes: z.int().nullable().describe('Extension: size of the uploaded archive. Null if there is none.'),
  sourceUploadedAt: isoTime
    .nullable()
    .describe('Extension: time of the last upload of the archive. Null if there is none.'),
  createdAt: isoTime.describe('Creation time.'),
  updatedAt: isoTime.describe('Time of the last change.'),
})

export const projectPageSchema = itemPage(projectSchema, 'ProjectPage')

export type CreateProjectRequest = z.infer<typeof createProjectSchema>
export type UpdateProjectRequest = z.infer<typeof updateProjectSchema>
export type ProjectRecord = z.infer<typeof projectSchema>
