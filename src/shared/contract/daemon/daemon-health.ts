import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { EXAMPLE_TIME, isoTime } from '../fields.ts'
import { BACKUP_REASONS } from './backups.ts'

const EXAMPLE_FACTS = { version: '1.0.0', pid: 4711, startedAt: EXAMPLE_TIME }

const facts = {
  version: z.string().describe('Version of the program.'),
  pid: z.int().describe('Process id of the daemon.'),
  startedAt: isoTime.describe('Start time.'),
}

const namedDaemonHealth = named('DaemonHealth', 'The daemon that answers.', {
  status: 'ok',
  ...EXAMPLE_FACTS,
})

/** GET /health of the daemon. */
export const daemonHealthSchema = namedDaemonHealth.object({
  status: z.literal('ok').describe('Always ok.'),
  /** See `proofOf`. */
  proof: z.string().optional().describe('Response to a valid `challenge`.'),
  ...facts,
})

const namedDaemonStopping = named('DaemonStopping', 'The daemon is stopping.', { status: 'stopping' })

/** POST /api/daemon/stop */
export const daemonStoppingSchema = namedDaemonStopping.object({
  status: z.literal('stopping').describe('Always `stopping`.'),
})

const namedUpgradeRequest = named('UpgradeRequest', 'The daemon that takes over.', {
  program: '/opt/mcp-hosting/dist/daemon.js',
})

/** POST /api/daemon/upgrade */
export const upgradeRequestSchema = namedUpgradeRequest.strictObject({
  program: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Path of the daemon program in an installed version. By default the current one.'),
  settings: z
    .record(
      z.string().regex(/^(?!MCP_(?:HOME|API_|CONTEXT|PORT|NAMED_))MCP_[A-Z0-9_]+$/),
      z.string().max(4096),
    )
    .optional()
    .describe('Environment variables for the new daemon, in addition to those of the old one.'),
})

const namedDaemonUpgrading = named('DaemonUpgrading', 'The next daemon is starting.', { status: 'upgrading' })

export const daemonUpgradingSchema = namedDaemonUpgrading.object({
  status: z.literal('upgrading').describe('Always `upgrading`.'),
})

const namedDaemonState = named('DaemonState', 'The daemon and its last upgrade.', {
  ...EXAMPLE_FACTS,
  memoryBytes: 104857600,
  namedPorts: { http: 6280, https: 6443 },
  upgrade: null,
})

/** GET /api/daemon. Successful upgrades are not reported, because the old daemon has exited. */
export const daemonStateSchema = namedDaemonState.object({
  ...facts,
  memoryBytes: z.int().describe('Resident memory of the daemon process, without its servers.'),
  namedPorts: z
    .object({
      http: z.int().describe('Port for HTTP.'),
      https: z.int().describe('Port for HTTPS.'),
    })
    .optional()
    .describe(
      'Ports that serve by host name, as set. 0 picks a free one. Absent if servers have no host names.',
    ),
  upgrade: z
    .object({
      status: z.enum(['running', 'failed']).describe('State of the upgrade.'),
      error: z.string().optional().describe('Why it failed.'),
    })
    .nullable()
    .describe('Last requested upgrade. Null if there is none.'),
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

const namedBackup = named(
  'Backup',
  'A backup of the database and the files that it refers to.',
  EXAMPLE_BACKUP,
)

/** POST /api/daemon/backup */
export const backupSchema = namedBackup.object({
  name: z.string().describe('Name of the backup.'),
  file: z.string().describe("Path of the backup on the daemon's machine."),
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

const { name, file, reason, bytes, files, missing, version, createdAt } = backupSchema.shape

const storedBackupSchema = named(
  'StoredBackup',
  'A backup. Backups made by older versions contain only the database, and have no reason, version or creation time.',
  EXAMPLE_BACKUP,
).object({
  name,
  file: file.describe(
    'Path of the backup in the home, or URI of its manifest in the storage that `MCP_BACKUP` names.',
  ),
  reason: reason.optional(),
  bytes,
  files,
  missing,
  version: version.optional(),
  createdAt: createdAt.optional(),
})

/** GET /api/daemon/backups */
export const backupListSchema = named('BackupList', 'All backups.', { items: [EXAMPLE_BACKUP] }).object({
  items: z
    .array(storedBackupSchema)
    .describe('Backups in the home, then backups in external storage, including those of other homes.'),
  storageError: z.string().optional().describe('Why external storage could not be read. Absent otherwise.'),
})

export type DaemonState = z.infer<typeof daemonStateSchema>
export type UpgradeRequest = z.infer<typeof upgradeRequestSchema>
export type BackupRecord = z.infer<typeof backupSchema>
export type BackupList = z.infer<typeof backupListSchema>
export type DaemonHealth = z.infer<typeof daemonHealthSchema>
