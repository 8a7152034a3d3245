import type { Artifact } from '../../shared/artifact.ts'
import { HostingError } from '../../shared/errors.ts'
import type { Tenant, TenantAuth } from '../../shared/instance-protocol.ts'
import type { Address } from '../store/addresses.ts'
import type { Build } from '../store/builds.ts'
import { mcpUrl } from './addresses.ts'
import { tenantEnv } from './deployment-env.ts'
import { readEnv } from './deployment-secrets.ts'
import { logLevel, programLimits } from './environments.ts'
import type { Rooms } from './rooms.ts'

export interface Preview {
  /** What the runtime knows it by. */
  id: string
  buildId: string
  /** Values of the build request. */
  given: Record<string, string>
  /** Another one than its server's. */
  address: Address | undefined
}

/** Read when an instance starts; `auth` also hears what is revoked later. */
export function deploymentTenant(rooms: Rooms, id: string, auth: TenantAuth | undefined): Tenant {
  const deployment = rooms.store.deployments.find(id)
  const address = deployment && rooms.addresses.find(deployment.name, deployment.environment)
  if (!deployment || !address) throw removedMeanwhile('deployment', id)
  const build = getServedBuild(rooms, deployment.mcpId)
  const { config } = deployment
  const base = tenantBase(rooms, id, address, build)
  return {
    ...base,
    ...(base.program && { program: { ...base.program, limits: programLimits(deployment) } }),
    // Two even of one, while a restart puts a new one in its place.
    hasSiblings: true,
    env: tenantEnv(build, readEnv(rooms.secrets, deployment)),
    allowPrivateNetwork: config.allow_private_network ?? false,
    ...(config.network && { network: config.network }),
    logLevel: logLevel(deployment),
    ...(config.timeout_seconds !== undefined && { handlerTimeoutMs: config.timeout_seconds * 1000 }),
    ...(auth && { auth }),
  }
}

export function previewTenant(rooms: Rooms, preview: Preview): Tenant {
  const build = getServedBuild(rooms, preview.buildId)
  const address = preview.address ?? rooms.addresses.find(build.name, 'preview')
  if (!address) throw removedMeanwhile('preview', preview.id)
  return {
    ...tenantBase(rooms, preview.id, address, build),
    env: tenantEnv(build, preview.given),
    // The same over all builds, so that sessions go on with the next one.
    stateKey: rooms.secrets.derive(`state preview ${build.name}`),
    isPreview: true,
    allowPrivateNetwork: false,
    logLevel: 'debug',
  }
}

/** What is to be described is served to nobody: it has no address, and of its variables what the build request gives. */
export function describingTenant(
  rooms: Pick<Rooms, 'secrets' | 'programs' | 'programSources'>,
  build: Build,
  { env }: Artifact,
  given: Record<string, string> = {},
): Tenant {
  return {
    id: build.id,
    serverName: build.name,
    url: 'http://127.0.0.1/mcp',
    allowedHosts: [],
    allowedOrigins: [],
    env: tenantEnv({ ...build, env }, given),
    allowPrivateNetwork: false,
    logLevel: 'info',
    stateKey: rooms.secrets.derive(`state ${build.id}`),
    program: programPlace(rooms, build, build.id),
  }
}

/** Throws NOT_FOUND once it was removed. */
export function getServedBuild({ store }: Rooms, id: string): Build {
  const build = store.builds.find(id)
  if (build) return build
  throw removedMeanwhile('build', id)
}

function removedMeanwhile(what: string, id: string): HostingError {
  return new HostingError('NOT_FOUND', `The ${what} ${id} was removed; it cannot be started.`)
}

function tenantBase(rooms: Rooms, id: string, address: Address, build: Build) {
  return {
    id,
    serverName: address.server,
    url: mcpUrl(address),
    allowedHosts: [`127.0.0.1:${address.port}`, `localhost:${address.port}`],
    allowedOrigins: [],
    // The same over all releases, so that sessions go on with the next one.
    stateKey: rooms.secrets.derive(`state ${address.server}/${address.slot}`),
    ...(build.template === 'custom' && { program: programPlace(rooms, build, address.slot) }),
  }
}

/** `slot`: of the server's address, or the build while it is described. */
function programPlace(
  { programs, programSources }: Pick<Rooms, 'programs' | 'programSources'>,
  { name, sourceDigest }: Build,
  slot: string,
): Tenant['program'] {
  const source = sourceDigest === null ? {} : { source: programSources.folder(sourceDigest) }
  return { ...programs.place(name, slot), ...source, limits: programLimits() }
}
