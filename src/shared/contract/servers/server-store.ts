import * as z from 'zod'
import {
  MAX_KEY_BYTES,
  MAX_SCOPE_BYTES,
  MAX_WRITE_BYTES,
  USER_SCOPE,
} from '../../instances/state-operations.ts'
import { described, named } from '../../json/schema-metadata.ts'
import { isoTime } from '../fields.ts'

/** The key-value store of a server in one environment (extension; docs/state.md). */

const storableText = (bytes: number) =>
  z
    .string()
    .refine(
      text => text.isWellFormed() && !text.includes('\0') && Buffer.byteLength(text) <= bytes,
      `must have at most ${bytes} bytes of UTF-8 and no NUL`,
    )

export const storeKeySchema = storableText(MAX_KEY_BYTES)
  .min(1)
  .meta(described('Key of the entry.', 'note/1'))
export const storePrefixSchema = storableText(MAX_KEY_BYTES)
export const storeUserSchema = storableText(MAX_SCOPE_BYTES - USER_SCOPE.length)
  .min(1)
  .meta(described('Signed-in user to whom the entry belongs: `<provider>|<id>`.', 'github|42'))

const EXAMPLE_ENTRY = { key: 'note/1', user: null, value: { text: 'Buy bread' }, expires_at: null }

const storeEntrySchema = named('StoreEntry', 'An entry of a store.', EXAMPLE_ENTRY).object({
  key: storeKeySchema,
  user: storeUserSchema.nullable().describe('Signed-in user to whom the entry belongs. Null: shared by all.'),
  value: z.unknown().describe('JSON value.'),
  expires_at: isoTime.nullable().describe('Time after which the entry no longer exists. Null: never.'),
})

export const storeUsageSchema = named('StoreUsage', 'Size of a store and its limit.', {
  entries: 1,
  bytes: 27,
  limit_bytes: 104857600,
}).object({
  entries: z.int().describe('Number of entries.'),
  bytes: z.int().describe('Bytes of all keys and values.'),
  limit_bytes: z.int().describe('Maximum number of these bytes.'),
})

export const storePageSchema = named('StorePage', 'Entries of a store, shared ones first, sorted by key.', {
  items: [EXAMPLE_ENTRY],
  next_cursor: null,
  usage: { entries: 1, bytes: 27, limit_bytes: 104857600 },
}).object({
  items: z.array(storeEntrySchema).describe('Entries on this page.'),
  next_cursor: z
    .string()
    .nullable()
    .describe('Pass it as `cursor` to get the next page. Null on the last page.'),
  usage: storeUsageSchema,
})

const setEntrySchema = named('SetStoreEntry', 'An entry to set.', {
  key: 'note/1',
  value: { text: 'Buy bread' },
}).strictObject({
  key: storeKeySchema,
  user: storeUserSchema
    .nullish()
    .describe('Signed-in user to whom the entry belongs. Default: shared by all.'),
  value: z
    .unknown()
    .refine(value => value !== undefined, 'is required')
    .refine(
      value => Buffer.byteLength(JSON.stringify(value) ?? '') <= MAX_WRITE_BYTES,
      `must have at most ${MAX_WRITE_BYTES} bytes as JSON`,
    )
    .describe('JSON value.'),
  expires_at: isoTime.nullish().describe('Time after which the entry no longer exists. Default: never.'),
})

const deleteEntrySchema = named('DeleteStoreEntry', 'An entry to delete.', { key: 'note/1' }).strictObject({
  key: storeKeySchema,
  user: storeUserSchema
    .nullish()
    .describe('Signed-in user to whom the entry belongs. Default: shared by all.'),
})

export const changeStoreSchema = named('ChangeStoreRequest', 'Entries to set and to delete, all or none.', {
  set: [{ key: 'note/1', value: { text: 'Buy bread' } }],
}).strictObject({
  set: z.array(setEntrySchema).max(1000).default([]).describe('Entries to add or replace.'),
  delete: z.array(deleteEntrySchema).max(1000).default([]).describe('Entries to delete.'),
})

export const storeChangeSchema = named('StoreChange', 'Result of a change.', {
  set: 1,
  deleted: 0,
  usage: { entries: 1, bytes: 27, limit_bytes: 104857600 },
}).object({
  set: z.int().describe('Number of entries that were set.'),
  deleted: z.int().describe('Number of entries that were deleted.'),
  usage: storeUsageSchema,
})

export type StoreEntry = z.infer<typeof storeEntrySchema>
export type StorePage = z.infer<typeof storePageSchema>
export type StoreUsage = z.infer<typeof storeUsageSchema>
export type StoreChange = z.infer<typeof storeChangeSchema>
export type ChangeStore = z.infer<typeof changeStoreSchema>
