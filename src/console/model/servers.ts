import { signal } from '@preact/signals'
import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import type { DeploymentStatus } from '../../shared/contract/deployments/deployments.ts'
import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { currentDeployments } from '../../shared/current-deployments.ts'
import type { HostingError } from '../../shared/errors.ts'
import { listAll } from '../api/client.ts'
import { type Change, onChange, onReconnect } from '../api/feed.ts'

/**
 * A server with the current deployment of each environment, production first, and its newest ready build, or its newest build if
 * none is ready.
 */
export interface Server {
  name: string
  deployments: readonly DeploymentStatus[]
  build: BuildRecord | undefined
  /** The newest build, if it failed. */
  failedBuild: BuildRecord | undefined
}

/** True if `build` is a definition without code. */
export function isDeclared({ build }: Server): boolean {
  return build?.template !== undefined && build.template !== 'custom'
}

/** All servers by name. Undefined until they are loaded. */
export const servers = signal<ReadonlyMap<string, Server> | undefined>(undefined)

/** Why the servers could not be loaded. The last known ones are kept. */
export const serversError = signal<HostingError | undefined>(undefined)

const CHANGES = ['server', 'build', 'deployment', 'release', 'health', 'mapping', 'variable']

/** Loads all servers after every reset of the feed, and then each server that changes. */
export function keepServersCurrent(): void {
  onChange(change => {
    if (change.type === 'reset') void loadServers()
    else if (change.server !== undefined && CHANGES.includes(change.type)) void refreshSoon(change.server)
  })
  onReconnect(() => serversError.peek() && void loadServers())
}

export async function loadServers(): Promise<void> {
  try {
    const [builds, deployments] = await Promise.all([
      listAll<BuildRecord>('/v1/build'),
      listAll<DeploymentStatus>('/v1/deploy'),
    ])
    const names = new Set([...builds, ...deployments].map(({ name }) => name))
    const sorted = [...names].toSorted((a, b) => a.localeCompare(b))
    const buildsOf = Map.groupBy(builds, ({ name }) => name)
    const deploymentsOf = Map.groupBy(deployments, ({ name }) => name)
    servers.value = new Map(
      sorted.map(name => [name, toServer(name, buildsOf.get(name) ?? [], deploymentsOf.get(name) ?? [])]),
    )
    serversError.value = undefined
  } catch (error) {
    serversError.value = error as HostingError
  }
}

/** Servers that are being refreshed, and whether they have changed again since. */
const refreshing = new Map<string, boolean>()

/** Refreshes a server, one refresh at a time, and again if the server changes during the refresh. */
async function refreshSoon(name: string): Promise<void> {
  if (refreshing.has(name)) {
    refreshing.set(name, true)
    return
  }
  do {
    refreshing.set(name, false)
    await refresh(name)
  } while (refreshing.get(name))
  refreshing.delete(name)
}

async function refresh(name: string): Promise<void> {
  if (!servers.peek()) return
  try {
    const [builds, deployments] = await Promise.all([
      listAll<BuildRecord>('/v1/build', { name }),
      listAll<DeploymentStatus>('/v1/deploy', { name }),
    ])
    const isNamed = (one: { name: string }) => one.name === name
    replace(name, toServer(name, builds.filter(isNamed), deployments.filter(isNamed)))
  } catch (error) {
    serversError.value = error as HostingError
  }
}

function replace(name: string, server: Server): void {
  const others = [...(servers.peek() ?? [])].filter(([other]) => other !== name)
  const isGone = !server.build && server.deployments.length === 0
  const entries = isGone ? others : [...others, [name, server] as const]
  servers.value = new Map(entries.toSorted(([a], [b]) => a.localeCompare(b)))
}

/** Expects the newest builds and deployments first. */
function toServer(name: string, builds: BuildRecord[], deployments: DeploymentStatus[]): Server {
  return {
    name,
    build: builds.find(({ status }) => status === 'ready') ?? builds[0],
    failedBuild: builds[0]?.status === 'failed' ? builds[0] : undefined,
    deployments: currentDeployments(deployments).toSorted(
      (a, b) => ENVIRONMENTS.indexOf(a.environment) - ENVIRONMENTS.indexOf(b.environment),
    ),
  }
}

/** Whether a change is about the server, or about everything. */
export function concerns(name: string, types: readonly string[]) {
  return (change: Change) =>
    change.type === 'reset' || (change.server === name && types.includes(change.type))
}
