import * as z from 'zod'
import { PROJECT_STATES } from './states.ts'

/** Service interface 2.7 and 4.7; what it leaves open is in docs/decisions.md. */
const isoTime = z.iso.datetime()

const line = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u, 'without control characters')

const name = line(100).min(1)

/** `git@github.com:team/repo.git`, the short form of an ssh URL (git-clone(1) "GIT URLS"). */
const SCP_FORM = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\s:]\S*$/

function isRepositoryUrl(text: string): boolean {
  if (/\s/.test(text)) return false
  const { protocol = '', hostname = '' } = URL.parse(text) ?? {}
  return (/^(https?|ssh|git|git\+ssh|git\+https?):$/.test(protocol) && hostname !== '') || SCP_FORM.test(text)
}

/** `null` empties a field. */
const facts = {
  description: z.string().max(2000).nullable().optional(),
  repositoryUrl: line(2000)
    .refine(isRepositoryUrl, 'expected an http, https, ssh or git URL, or git@host:path')
    .nullable()
    .optional(),
  framework: line(100).min(1).nullable().optional(),
  /** A URI. An upload sets it to where the archive lies. */
  storageLocation: line(2000).min(1).nullable().optional(),
  templateId: z.uuid().nullable().optional(),
  /** Extension: `registry.example.com/node:24`, `oci:/folder[:name]` or `local`; null: what the daemon is set to. */
  baseImage: line(500).min(1).nullable().optional(),
}

export const createProjectSchema = z.strictObject({ name, ...facts })

export const updateProjectSchema = z
  .strictObject({ name: name.optional(), status: z.enum(PROJECT_STATES).optional(), ...facts })
  .refine(change => Object.values(change).some(value => value !== undefined), {
    error:
      'give at least one of name, description, repositoryUrl, framework, status, storageLocation, templateId, baseImage',
  })

export const projectSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  repositoryUrl: z.string().nullable(),
  framework: z.string().nullable(),
  status: z.enum(PROJECT_STATES),
  storageLocation: z.string().nullable(),
  templateId: z.string().nullable(),
  /** Extension: what its images are built upon. */
  baseImage: z.string().nullable(),
  /** Extension: what `POST /v1/build` takes as `source`; null without an uploaded archive. */
  sourceId: z.string().nullable(),
  /** Extension: SHA-256 of that archive, hexadecimal. */
  sourceDigest: z.string().nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
})

export const projectPageSchema = z.object({ items: z.array(projectSchema), nextToken: z.string().nullable() })

export type CreateProjectRequest = z.infer<typeof createProjectSchema>
export type UpdateProjectRequest = z.infer<typeof updateProjectSchema>
export type ProjectRecord = z.infer<typeof projectSchema>
