import { syncBuiltinESMExports } from 'node:module'
import { SANDBOX_GAP, type Tenant } from '../../shared/instances/instance-protocol.ts'
import { moduleIsolationProblem } from '../../shared/sandbox/module-isolation.ts'
import { openLog } from '../log/open-log.ts'
import { replaceNetwork } from '../network/module-network.ts'
import { describeInternalError, keepRunningOnInternalErrors } from '../server/internal-error.ts'
import { type ChannelListener, sealChannel } from './channel-seal.ts'
import { SealError } from './denied.ts'
import { sealDescriptors } from './descriptor-seal.ts'
import { sealLoader } from './loader-seal.ts'
import './process-title.ts'
import { sealProcess } from './process-seal.ts'
import { UserOutput } from './user-output.ts'

/** Read before user code gets another environment. */
const gap = process.env[SANDBOX_GAP]
let isLocked = false
let problem: string | undefined

/**
 * Permanently removes what Node's permission model leaves open to code loaded afterwards: signals to other processes, the
 * daemon's channel, open descriptors, Unix sockets and unlimited output. Output and fatal errors go to the log. This program's
 * own code has captured what it needs. Returns a sentence with the reason if user code must not run here, or undefined if
 * everything is sealed.
 */
export function lockDown(tenant: Tenant, listener: ChannelListener): string | undefined {
  if (isLocked) return problem
  isLocked = true
  problem = moduleIsolationProblem() ?? trySeal(tenant, listener)
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
  if (gap !== undefined) log.server('warn', `the code ${gap}`)
  const output = new UserOutput(log)
  sealChannel(listener)
  sealDescriptors(output)
  sealLoader()
  replaceNetwork(tenant, log)
  sealProcess({ env: tenant.env, output, log })
  keepRunningOnInternalErrors()
  // Modules import copies of named exports.
  syncBuiltinESMExports()
}
