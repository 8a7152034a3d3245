import { z } from 'zod'

/** GET /health of the daemon. */
export const daemonHealthSchema = z.object({
  status: z.literal('ok'),
  /** As in the discovery file. */
  nonce: z.string(),
  version: z.string(),
  pid: z.int(),
  startedAt: z.iso.datetime(),
})

/** POST /api/daemon/stop */
export const daemonStoppingSchema = z.object({ status: z.literal('stopping') })

export type DaemonHealth = z.infer<typeof daemonHealthSchema>
