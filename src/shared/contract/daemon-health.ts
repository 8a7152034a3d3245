import * as z from 'zod'
import { named } from '../json/schema-metadata.ts'
import { BACKUP_REASONS } from './backups.ts'
import { EXAMPLE_TIME, isoTime } from './fields.ts'

const FACTS = { version: '1.0.0', pid: 4711, startedAt: EXAMPLE_TIME }

const facts = {
  version: z.string().describe('Version of the program.'),
  pid: z.int().describe('Process id of the daemon.'),
  startedAt: isoTime.describe('Start time.'),
}

const EXAMPLE_DAEMON_HEALTH = { status: 'ok', ...FACTS }

/** GET /health of the daemon. */
export const daemonHealthSchema = named(
  'DaemonHealth',
  'The daemon that answers.',
  EXAMPLE_DAEMON_HEALTH,
).object({
  status: z.literal('ok').describe('Always ok.'),
  /** See `proofOf`. */
  proof: z.string().optional().describe('Response to the right `challenge`.'),
  ...facts,
})

const EXAMPLE_DAEMON_STOPPING = { status: 'stopping' }

/** POST /api/daemon/stop */
export const daemonStoppingSchema = named(
  'DaemonStopping',
  'The daemon is stopping.',
  EXAMPLE_DAEMON_STOPPING,
).object({ status: z.literal('stopping').describe('Always stopping.') })

const EXAMPLE_UPGRADE_REQUEST = { program: '/opt/mcp-hosting/bin/mcpd.js' }

/** POST /api/daemon/upgrade */
export const upgradeRequestSchema = named(
  'UpgradeRequest',
  'The daemon that takes over.',
  EXAMPLE_UPGRADE_REQUEST,
).strictObject({
  program: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Path of the daemon program of an installed version. By default the current one.'),
  settings: z
    .record(
      z.string().regex(/^(?!MCP_(?:HOME|API_|CONTEXT|PORT|NAMED_))MCP_[A-Z0-9_]+$/),
      z.string().max(4096),
    )
    .optional()
    .describe('Environment variables of the new daemon, in addition to those of the old one.'),
})

const EXAMPLE_DAEMON_UPGRADING = { status: 'upgrading' }

export const daemonUpgradingSchema = named(
  'DaemonUpgrading',
  'The next daemon is starting.',
  EXAMPLE_DAEMON_UPGRADING,
).object({ status: z.literal('upgrading').describe('Always upgrading.') })

const EXAMPLE_DAEMON_STATE = { ...FACTS, upgrade: null }

/** GET /api/daemon. Successful upgrades are not reported, because the old daemon has exited. */
export const daemonStateSchema = named(
  'DaemonState',
  'The daemon and its last upgrade.',
  EXAMPLE_DAEMON_STATE,
).object({
  ...facts,
  upgrade: z
    .object({
      status: z.enum(['running', 'failed']).describe('State of the upgrade.'),
      error: z.string().optional().describe('Why it failed.'),
    })
    .nullable()
    .describe('Last requested upgrade. Null without one.'),
})

const EXAMPLE_BACKUP = {
  name: 'backup-1',
  file: '/home/ada/.local/share/mcp/backups/backup-1',
  reason: BACKUP_REASONS[0],
  bytes: 212992,
  files: 3,
  missing: 0,
  version: '1.0.0',
  createdAt: EXAMPLE_TIME,
}

/** POST /api/daemon/backup */
export const backupSchema = named(
  'Backup',
  'A backup of the database and the files that it refers to.',
  EXAMPLE_BACKUP,
).object({
  name: z.string().describe('Name of the backup.'),
  file: z.string().describe('Path of the backup on the machine of the daemon.'),
  reason: z.enum(BACKUP_REASONS).describe('Why it was made.'),
  bytes: z.int().describe('Size of the database and all files that it refers to.'),
  files: z.int().describe('Number of files that the database refers to.'),
  missing: z.int().describe('Number of those files that did not exist.'),
  version: z.string().describe('Version of the program that made it.'),
  createdAt: isoTime.describe('Creation time.'),
  sentTo: z
    .string()
    .optional()
    .describe('URI of its manifest in the storage that `MCP_BACKUP` names. Absent if it was not sent.'),
  sendError: z.string().optional().describe('Why it could not be sent. Absent otherwise.'),
})

export type DaemonState = z.infer<typeof daemonStateSchema>
export type UpgradeRequest = z.infer<typeof upgradeRequestSchema>
export type BackupRecord = z.infer<typeof backupSchema>
export type DaemonHealth = z.infer<typeof daemonHealthSchema>
