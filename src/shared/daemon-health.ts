import { z } from 'zod'

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

/** POST /api/daemon/backup */
export const backupSchema = z.object({ file: z.string(), bytes: z.int(), createdAt: z.iso.datetime() })

export type BackupRecord = z.infer<typeof backupSchema>
export type DaemonHealth = z.infer<typeof daemonHealthSchema>
