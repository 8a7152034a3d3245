import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { surfaceChangeSchema } from '../builds/builds.ts'
import {
  deploymentIdSchema,
  deploymentStateSchema,
  EXAMPLE_DEPLOYMENT_ID,
  EXAMPLE_MCP_ID,
  EXAMPLE_TIME,
  environmentSchema,
  failureSchema,
  isoTime,
  itemPage,
  mcpIdSchema,
} from '../fields.ts'

/** Releases in the API (extensions; docs/releases.md). */

const gitSchema = named('ReleaseGit', 'Git commit of the released project.').strictObject({
  commit: z
    .string()
    .regex(/^[0-9a-f]{7,64}$/, 'must be a commit id in hexadecimal')
    .meta(described('Id of the commit.', '9fceb02d0ae598e95dc970b74767f19372d61af8')),
  dirty: z.boolean().describe('True if the folder had uncommitted changes.'),
})

const testSchema = named(
  'ReleaseTest',
  'Result of the test suite that the release had to pass.',
).strictObject({
  passed: z.int().min(0).describe('Number of cases that passed.'),
  total: z.int().min(0).describe('Number of cases.'),
  required: z.number().min(0).max(1).describe('Share of cases that had to pass.'),
})

/** `release` of a deploy request. */
export const releaseNotesSchema = named('ReleaseNotes', 'Details of a release for its history.').strictObject(
  {
    message: z.string().trim().min(1).max(500).optional().describe('Message of the release.'),
    git: gitSchema.optional(),
    test: testSchema.optional(),
  },
)

/** `release` of a deployment's status. */
export const releaseSummarySchema = named('ReleaseSummary', 'Details of the release of a deployment.', {
  message: 'Greet in French',
  git: null,
  rollback_to: null,
}).object({
  message: z.string().nullable().describe('Message of the release.'),
  git: gitSchema.nullable().describe('Git commit. Null if unknown.'),
  rollback_to: z.int().nullable().describe('Version that a rollback returned to. Null for other releases.'),
})

export const MAX_LISTED_CHANGES = 50

const changesSchema = named(
  'ReleaseChanges',
  'Changes that clients of the previously live release see.',
).object({
  breaking: z.int().describe('Number of changes that break clients.'),
  compatible: z.int().describe('Number of other changes.'),
  items: z.array(surfaceChangeSchema).describe(`The first ${MAX_LISTED_CHANGES} changes.`),
})

const releaseExample = {
  version: 7,
  deploymentId: EXAMPLE_DEPLOYMENT_ID,
  name: 'greeter',
  environment: 'production',
  status: 'deployed',
  isRemoved: false,
  mcpId: EXAMPLE_MCP_ID,
  digest: null,
  author: 'ci',
  message: 'Greet in French',
  git: null,
  test: { passed: 9, total: 10, required: 0.9 },
  changes: { breaking: 0, compatible: 1, items: [] },
  rollbackTo: null,
  error: null,
  requests: 120,
  errors: 3,
  createdAt: EXAMPLE_TIME,
  deployedAt: EXAMPLE_TIME,
}

const releaseSchema = named(
  'Release',
  'A release: one deployment of a server, in the history of its environment.',
  releaseExample,
).object({
  version: z.int().describe('Number of the release, counted from 1 for each server and environment.'),
  deploymentId: deploymentIdSchema,
  name: z.string().describe('Name of the server.'),
  environment: environmentSchema,
  status: deploymentStateSchema,
  isRemoved: z.boolean().describe('True if its deployment was removed. `status` is then its last state.'),
  mcpId: mcpIdSchema,
  digest: z.string().nullable().describe('SHA-256 of the artifact.'),
  author: z.string().nullable().describe('Name of the API key that made the release.'),
  message: z.string().nullable().describe('Message of the release.'),
  git: gitSchema.nullable().describe('Git commit of the project. Null if unknown.'),
  test: testSchema.nullable().describe('Result of its test suite. Null if there was none.'),
  changes: changesSchema
    .nullable()
    .describe('Changes for clients since the previously live release. Null if there was none.'),
  rollbackTo: z.int().nullable().describe('Version that a rollback returned to.'),
  error: failureSchema
    .nullable()
    .describe('Why its deployment failed. Null otherwise, and after the deployment was removed.'),
  requests: z.int().describe('Number of requests that it answered.'),
  errors: z.int().describe('Number of these requests that failed.'),
  createdAt: isoTime.describe('Creation time.'),
  deployedAt: isoTime.nullable().describe('Time at which it last started to serve. Null if it never did.'),
})

/** GET /api/servers/{name}/releases */
export const releasePageSchema = itemPage(releaseSchema, 'ReleasePage')

export type ReleaseGit = z.infer<typeof gitSchema>
export type ReleaseTest = z.infer<typeof testSchema>
export type ReleaseChanges = z.infer<typeof changesSchema>
export type ReleaseNotes = z.infer<typeof releaseNotesSchema>
export type ReleaseRecord = z.infer<typeof releaseSchema>
export type ReleasePage = z.infer<typeof releasePageSchema>
