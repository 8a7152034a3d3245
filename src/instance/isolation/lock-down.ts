import { syncBuiltinESMExports } from 'node:module'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { unsealableNode } from '../../shared/sealed-node.ts'
import { describeInternalError, stopEndingOnInternalErrors } from '../internal-error.ts'
import { openLog } from '../log/open-log.ts'
import { replaceNetwork } from '../network/module-network.ts'
import { type ChannelListener, sealChannel } from './channel-seal.ts'
import { SealError } from './denied.ts'
import { sealDescriptors } from './descriptor-seal.ts'
import { sealLoader } from './loader-seal.ts'
import './process-title.ts'
import { sealProcess } from './process-seal.ts'
import { UserOutput } from './user-output.ts'

let isLocked = false
let problem: string | undefined

/**
 * Takes from this process, permanently, what Node's permission model leaves to the code that is loaded next: signals to
 * other processes, the daemon's channel, open descriptors, Unix sockets, and more output than a log can bear. What it
 * prints, and what ends it, goes to the log. This program's own code captured what it needs of these when it was loaded.
 * Returns why no user code may run here, as a sentence; undefined when everything is sealed.
 */
export function lockDown(tenant: Tenant, listener: ChannelListener): string | undefined {
  if (isLocked) return problem
  isLocked = true
  problem = unsealableNode() ?? trySeal(tenant, listener)
  return problem
}

function trySeal(tenant: Tenant, listener: ChannelListener): string | undefined {
  try {
    seal(tenant, listener)
    return undefined
  } catch (error) {
    const why = error instanceof SealError ? error.message : describeInternalError(error)
    return `Handler modules cannot be isolated on Node ${process.versions.node}: ${why}`
  }
}

function seal(tenant: Tenant, listener: ChannelListener): void {
  const log = openLog(tenant)
  const output = new UserOutput(log)
  sealChannel(listener)
  sealDescriptors(output)
  sealLoader()
  replaceNetwork(tenant, log)
  sealProcess({ env: tenant.env, output, log })
  stopEndingOnInternalErrors()
  // What modules import by name are copies.
  syncBuiltinESMExports()
}
