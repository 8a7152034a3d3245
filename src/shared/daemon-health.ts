import { z } from 'zod'

/** GET /health of the daemon. */
export const daemonHealthSchema = z.object({
  status: z.literal('ok'),
  /** Answers the `challenge` of the query; see `daemonProof`. */
  proof: z.string().optional(),
  version: z.string(),
  pid: z.int(),
  startedAt: z.iso.datetime(),
})

/** POST /api/daemon/stop */
export const daemonStoppingSchema = z.object({ status: z.literal('stopping') })

export type DaemonHealth = z.infer<typeof daemonHealthSchema>
