import { syncBuiltinESMExports } from 'node:module'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { openLog } from '../log/open-log.ts'
import { sealChannel } from './channel-seal.ts'
import { sealDescriptors } from './descriptor-seal.ts'
import './process-title.ts'
import { sealProcess } from './process-seal.ts'
import { UserOutput } from './user-output.ts'

let isLocked = false

/**
 * Takes from this process, for good, what Node's permission model leaves to the code that is loaded next: signals to
 * other processes, the daemon's channel, open descriptors, Unix sockets, and more output than a log can bear. What it
 * prints, and what ends it, goes to the log. Our own code holds what it needs of these since it was loaded.
 */
export function lockDown(tenant: Tenant): void {
  if (isLocked) return
  isLocked = true
  const log = openLog(tenant)
  const output = new UserOutput(log)
  sealChannel()
  sealDescriptors(output)
  sealProcess({ env: tenant.env, output, log })
  // What modules import by name are copies.
  syncBuiltinESMExports()
}
