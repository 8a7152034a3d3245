import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { EXAMPLE_MCP_ID, EXAMPLE_TIME, isoTime } from '../fields.ts'

/** GET and POST /api/prune, an extension (docs/cleanup.md). */

const UNUSED_KINDS = ['deployment', 'build', 'image', 'layers', 'database', 'state', 'file'] as const

const kind = z.enum(UNUSED_KINDS).meta({
  id: 'UnusedKind',
  description: 'Kind of item. `layers`: parts of removed images. `file`: a file without a record.',
})
const id = z.string().min(1).max(300).describe('Id, unique within its kind.')
const example = { kind: 'build', id: EXAMPLE_MCP_ID } as const

const unusedItemSchema = named('UnusedItem', 'An item that is no longer used.', {
  ...example,
  name: 'weather',
  reason: 'failed',
  bytes: 2048,
  createdAt: EXAMPLE_TIME,
}).object({
  kind,
  id,
  name: z.string().describe('Name of the server. Empty if there is none.'),
  reason: z
    .enum(['failed', 'unused', 'replaced', 'unknown'])
    .describe(
      '`replaced`: replaced by a restore at least a week ago. `unknown`: unknown to the database for at least a week.',
    ),
  bytes: z.int().describe('Disk space that it takes up, in bytes.'),
  createdAt: isoTime.describe('Creation time. For a file, the time at which it became unused.'),
})

export const unusedListSchema = named('UnusedList', 'Everything that can be removed.', {
  items: [],
  bytes: 0,
}).object({
  items: z.array(unusedItemSchema).describe('Oldest first within a kind.'),
  bytes: z.int().describe('Disk space that all items take up, in bytes.'),
})

export const pruneRequestSchema = named('PruneRequest', 'Items to remove.', {
  items: [example],
}).strictObject({
  items: z
    .array(z.strictObject({ kind, id }))
    .max(10_000)
    .optional()
    .describe('Only these items, if they are still unused. By default all.'),
})

export const pruneResultSchema = named('PruneResult', 'Removed items.', {
  items: [],
  bytes: 0,
  kept: [],
}).object({
  items: z.array(unusedItemSchema).describe('Removed items.'),
  bytes: z.int().describe('Disk space that they took up, in bytes.'),
  kept: z
    .array(z.object({ kind, id, reason: z.string().describe('Why, in one sentence.') }))
    .describe('Requested items that were not removed.'),
})

export type UnusedItem = z.infer<typeof unusedItemSchema>
export type UnusedList = z.infer<typeof unusedListSchema>
export type PruneRequest = z.infer<typeof pruneRequestSchema>
export type PruneResult = z.infer<typeof pruneResultSchema>
