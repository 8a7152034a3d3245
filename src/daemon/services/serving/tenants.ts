import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Tenant, TenantAuth } from '../../../shared/instances/instance-protocol.ts'
import type { Address } from '../../store/tables/addresses.ts'
import type { Build } from '../../store/tables/builds.ts'
import { mcpUrl } from '../addresses/addresses.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { tenantEnv } from '../deployments/deployment-env.ts'
import { readEnv } from '../deployments/deployment-secrets.ts'
import { logLevel, programLimits, recordsBodies } from '../deployments/environments.ts'
import { readStoredValues } from '../deployments/stored-variables.ts'

export type TenantDependencies = Pick<
  ServiceDependencies,
  'addresses' | 'clock' | 'programSources' | 'programs' | 'secrets' | 'states' | 'store'
>

export interface Preview {
  /** Id in the runtime. */
  id: string
  buildId: string
  /** Environment variables of the build request. They override the stored ones of development. */
  given: Record<string, string>
  /** Address other than the server's preview address. */
  address: Address | undefined
  /** True when a debugger may pause the preview's handlers. */
  isInspected?: boolean
}

/** Time limit for handlers while a debugger may pause them. */
const INSPECTED_TIMEOUT_MS = 24 * 3600_000

/** Reads the tenant when an instance starts. All instances share `auth`, because later revocations are added to it. */
export function deploymentTenant(deps: TenantDependencies, id: string, auth: TenantAuth | undefined): Tenant {
  const deployment = deps.store.deployments.find(id)
  const address = deployment && deps.addresses.find(deployment.name, deployment.environment)
  if (!deployment || !address) throw alreadyRemoved('deployment', id)
  const build = getServedBuild(deps, deployment.mcpId)
  const { config } = deployment
  const base = tenantBase(deps, id, address, build)
  return {
    ...base,
    ...(base.program && { program: { ...base.program, limits: programLimits(deployment) } }),
    // Even a single instance has siblings while it is being replaced.
    hasSiblings: true,
    env: tenantEnv(build, readEnv(deps.secrets, deployment)),
    allowPrivateNetwork: config.allow_private_network ?? false,
    ...(config.network && { network: config.network }),
    logLevel: logLevel(deployment),
    recordsBodies: recordsBodies(deployment),
    ...(config.timeout_seconds !== undefined && { handlerTimeoutMs: config.timeout_seconds * 1000 }),
    ...(auth && { auth }),
    ...endedSessions(deps, deployment.name, deployment.environment),
    allowedOrigins: config.origins ?? [],
  }
}

export function previewTenant(deps: TenantDependencies, preview: Preview): Tenant {
  const build = getServedBuild(deps, preview.buildId)
  const address = preview.address ?? deps.addresses.find(build.name, 'preview')
  if (!address) throw alreadyRemoved('preview', preview.id)
  return {
    ...tenantBase(deps, preview.id, address, build),
    env: tenantEnv(build, { ...readStoredValues(deps, build.name, 'development'), ...preview.given }),
    // The same for all builds, so that sessions continue with the next build.
    stateKey: deps.secrets.derive(`state preview ${build.name}`),
    ...endedSessions(deps, build.name, 'preview'),
    isPreview: true,
    ...(preview.isInspected && { handlerTimeoutMs: INSPECTED_TIMEOUT_MS }),
    allowPrivateNetwork: false,
    logLevel: 'debug',
  }
}

/** Tenant of a build whose code is loaded to find its definitions. It has no address. */
export function describingTenant(
  deps: Pick<ServiceDependencies, 'secrets' | 'programs' | 'programSources'>,
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
    stateKey: deps.secrets.derive(`state ${build.id}`),
    program: programFolders(deps, build, build.id),
  }
}

function endedSessions(
  { clock, store }: Pick<ServiceDependencies, 'clock' | 'store'>,
  server: string,
  environment: StoreEnvironment,
): Pick<Tenant, 'endedSessions'> {
  const ended = store.endedSessions.find(server, environment, Date.parse(clock.wallTime()))
  return ended ? { endedSessions: ended } : {}
}

/** Throws NOT_FOUND for a removed build. */
export function getServedBuild({ store }: Pick<ServiceDependencies, 'store'>, id: string): Build {
  const build = store.builds.find(id)
  if (build) return build
  throw alreadyRemoved('build', id)
}

function alreadyRemoved(what: string, id: string): HostingError {
  return new HostingError('NOT_FOUND', `The ${what} ${id} was removed and cannot be started.`)
}

function tenantBase(
  deps: Pick<ServiceDependencies, 'programSources' | 'programs' | 'secrets' | 'states'>,
  id: string,
  address: Address,
  build: Build,
) {
  const state = { server: build.name, slot: address.slot }
  return {
    id,
    serverName: address.server,
    url: mcpUrl(address),
    allowedHosts: [`127.0.0.1:${address.port}`, `localhost:${address.port}`],
    allowedOrigins: [] as Tenant['allowedOrigins'],
    // The same for all releases, so that sessions continue with the next release.
    stateKey: deps.secrets.derive(`state ${address.server}/${address.slot}`),
    ...(build.template === 'custom' && {
      program: { ...programFolders(deps, build, address.slot), data: deps.states.filesOf(state) },
      state,
    }),
  }
}

/** `slot` is the slot of the address, or the id of a build that is being described. */
function programFolders(
  { programs, programSources }: Pick<ServiceDependencies, 'programs' | 'programSources'>,
  { name, sourceDigest }: Build,
  slot: string,
): NonNullable<Tenant['program']> {
  const source = sourceDigest === null ? {} : { source: programSources.folder(sourceDigest) }
  return { ...programs.place(name, slot), ...source, limits: programLimits() }
}
