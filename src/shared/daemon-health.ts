import * as z from 'zod'
import { BACKUP_REASONS } from './backups.ts'

/** GET /health of the daemon. */
export const daemonHealthSchema = z.object({
  status: z.literal('ok'),
  /** Only for the right `challenge` in the query; see `proofOf`. */
  proof: z.string().optional(),
  version: z.string(),
  pid: z.int(),
  startedAt: z.iso.datetime(),
})

/** POST /api/daemon/stop */
export const daemonStoppingSchema = z.object({ status: z.literal('stopping') })

/** POST /api/daemon/upgrade. `settings`: variables that the new daemon is given besides the old one's. */
export const upgradeRequestSchema = z.strictObject({
  program: z.string().min(1).max(4096).optional(),
  settings: z
    .record(
      z.string().regex(/^(?!MCP_(?:HOME|API_|CONTEXT|PORT|NAMED_))MCP_[A-Z0-9_]+$/),
      z.string().max(4096),
    )
    .optional(),
})
export const daemonUpgradingSchema = z.object({ status: z.literal('upgrading') })

/** GET /api/daemon. `upgrade`: the last one that this daemon was asked for, unless it is over. */
export const daemonStateSchema = z.object({
  pid: z.int(),
  version: z.string(),
  startedAt: z.iso.datetime(),
  upgrade: z.object({ status: z.enum(['running', 'failed']), error: z.string().optional() }).nullable(),
})

/**
 * POST /api/daemon/backup. `bytes`: of the database and all `files` that it refers to. `missing`: files that were not there.
 * `sentTo`: URI of its manifest in the storage that `MCP_BACKUP` names; `sendError`: why it was not sent.
 */
export const backupSchema = z.object({
  name: z.string(),
  file: z.string(),
  reason: z.enum(BACKUP_REASONS),
  bytes: z.int(),
  files: z.int(),
  missing: z.int(),
  version: z.string(),
  createdAt: z.iso.datetime(),
  sentTo: z.string().optional(),
  sendError: z.string().optional(),
})

export type DaemonState = z.infer<typeof daemonStateSchema>
export type UpgradeRequest = z.infer<typeof upgradeRequestSchema>
export type BackupRecord = z.infer<typeof backupSchema>
export type DaemonHealth = z.infer<typeof daemonHealthSchema>
