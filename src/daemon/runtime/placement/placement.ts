import type { Artifact } from '../../../shared/definitions/artifact.ts'
import type { Tenant } from '../../../shared/instances/instance-protocol.ts'
import { moduleSandbox } from '../../engine/module-sandbox.ts'
import { bridgeNetwork, type ProcessKind, sandboxGap } from '../../engine/process-engine.ts'
import type { Host } from '../process/host.ts'

/** Process and name of one instance of a tenant. */
export interface Place {
  readonly instanceId: string
  readonly host: Host
  /** Id of the tenant in its process. */
  readonly tenantId: string
  /**
   * Returns the tenant with `tenantId` as its id and, in a shared process, with `logFile`. The result is not stored, because
   * there are thousands of tenants.
   */
  describe(tenant: Tenant): Tenant
  /** Resolves when the process has released the tenant. May be called after the process has exited. */
  leave(): Promise<void>
}

export interface PlacementOptions {
  /** The tenant is suspected of crashing its process, so it must not share one. */
  alone: boolean
  /** A shared process is always `open`. */
  kind: ProcessKind
  /** Memory limit of the process in MB, if above that of a spare. Default: the limit of all processes. */
  memoryMb?: number | undefined
  /** Port of a debugger. Only a dedicated process has one. */
  inspectPort?: number | undefined
  /** An earlier instance of the tenant keeps serving until this one is ready. */
  alongside?: boolean
  /** The instance answers for the tenant while the tenant sleeps. */
  whileAsleep?: boolean
}

/** Chooses or starts the process for an instance. Throws when no process can be started. */
export type Placement = (servedId: string, options: PlacementOptions) => Place

/**
 * Handler modules run inside the process, programs in a child process, and images outside the network border. `isBorderless`
 * is called only for modules and programs.
 */
export function processKindOf({ program }: Artifact, isBorderless: () => boolean): ProcessKind {
  if (!program || program.type === 'image') return 'open'
  if (program.type === 'module') return isBorderless() ? 'sealedOpenNetwork' : 'sealed'
  return isBorderless() || !bridgeNetwork().usable ? 'open' : 'bridge'
}

/**
 * Isolation of handler modules in addition to Node's permission model. Each of the `gaps` completes a sentence about the modules.
 */
export function moduleIsolation(): { sandbox: 'bubblewrap' | 'none'; gaps: string[] } {
  const found = moduleSandbox()
  if (found.usable) return { sandbox: 'bubblewrap', gaps: [] }
  return { sandbox: 'none', gaps: [sandboxGap(found.why)] }
}

/** Mechanism that enforces the network settings of user code on this machine, see `promises.network` of a deployment. */
export function networkBorderOf(kind: 'module' | 'program'): 'namespace' | 'process' | 'none' {
  if (kind === 'program') return bridgeNetwork().usable ? 'namespace' : 'none'
  const sandbox = moduleSandbox()
  return sandbox.usable && sandbox.hasNetworks ? 'namespace' : 'process'
}
