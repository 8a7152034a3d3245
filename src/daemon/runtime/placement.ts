import type { Artifact } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { moduleSandbox } from '../engine/module-sandbox.ts'
import { bridgeWall, type ProcessKind } from '../engine/process-engine.ts'
import type { Host } from './host.ts'

/** Where one instance of a tenant runs. */
export interface Place {
  readonly instanceId: string
  readonly host: Host
  /** What the tenant is called in its process. */
  readonly tenantId: string
  /** The tenant as the process is to serve it: with that id and, where it has many tenants, `logFile`. Not kept: there are thousands. */
  describe(tenant: Tenant): Tenant
  /** Gives the place up; resolves when nothing of the tenant is left there. Also after the process ended. */
  leave(): Promise<void>
}

export interface PlacementOptions {
  /** The tenant is suspected of ending its process, so nobody else may share it. */
  alone: boolean
  /** What may run there; a shared process is always `open`. */
  kind: ProcessKind
  /** Memory that its process may hold, in MB; by default that of all. */
  memoryMb?: number | undefined
  /** The tenant is served already, and must be until the new place serves it. */
  beside?: boolean
  /** Only answers for the tenant while it sleeps. */
  atDoor?: boolean
}

/** For the deployment or preview of that id. May throw, as a start may. */
export type Placement = (servedId: string, options: PlacementOptions) => Place

/** Handler modules run inside the process, programs next to it. `isBorderless` is only asked where it matters. */
export function processKindOf({ program }: Artifact, isBorderless: () => boolean): ProcessKind {
  if (!program) return 'open'
  if (program.type === 'module') return isBorderless() ? 'sealedOpenNetwork' : 'sealed'
  return isBorderless() || !bridgeWall().usable ? 'open' : 'bridge'
}

/** What keeps handler modules from the machine, next to Node's permission model. `gaps`: the rest of a sentence about them. */
export function moduleIsolation(): { sandbox: 'bubblewrap' | 'none'; gaps: string[] } {
  const found = moduleSandbox()
  if (found.usable) return { sandbox: 'bubblewrap', gaps: [] }
  return { sandbox: 'none', gaps: [`runs under Node's permission model only, because ${found.why}`] }
}

/** What keeps the network settings of user code on this machine, see `network` of a deployment's promises. */
export function networkBorderOf(kind: 'module' | 'program'): 'namespace' | 'process' | 'none' {
  if (kind === 'program') return bridgeWall().usable ? 'namespace' : 'none'
  const sandbox = moduleSandbox()
  return sandbox.usable && sandbox.hasNetworks ? 'namespace' : 'process'
}
