import type { Failure } from '../../../shared/contract/fields.ts'
import { BUILD_TRANSITIONS, type BuildState, canMove } from '../../../shared/contract/states.ts'
import type { Artifact } from '../../../shared/definitions/artifact.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/** Time from the creation or the last test of a temporary build until the build expires. */
const TEMPORARY_MS = 10 * 60_000

/** Fields that change with the state of a build. */
export type BuildChanges = Partial<Pick<Build, 'digest' | 'env' | 'tools' | 'resources' | 'prompts'>> & {
  error?: Failure
}

/** Throws NOT_FOUND. */
export function getBuild(deps: Pick<ServiceDependencies, 'store'>, id: string): Build {
  const build = deps.store.builds.find(id)
  if (build) return build
  throw new HostingError('NOT_FOUND', `Build "${id}" does not exist.`, {
    details: 'GET /v1/build lists all builds.',
    next: [{ description: 'List servers and deployments', command: 'mcp list' }],
  })
}

/** Throws CONFLICT unless the build is ready. */
export function requireReady(build: Build): Build {
  if (build.status === 'ready') return build
  const why = build.error ? `: ${build.error.message}` : '.'
  throw new HostingError('CONFLICT', `Build ${build.id} is ${build.status}, not ready${why}`)
}

/** The only function that changes the state of a build. Throws CONFLICT for an invalid transition. */
export function moveBuild(
  { store }: Pick<ServiceDependencies, 'store'>,
  build: Build,
  to: BuildState,
  changes: BuildChanges & { buildMs?: number } = {},
): Build {
  if (!canMove(BUILD_TRANSITIONS, build.status, to))
    throw new HostingError('CONFLICT', `Build ${build.id} is ${build.status} and cannot become ${to}.`)
  const moved = { ...build, ...changes, status: to }
  store.builds.update(moved)
  return moved
}

/** Time at which a temporary build that is used now expires. */
export function nextExpiry({ clock }: Pick<ServiceDependencies, 'clock'>): string {
  return new Date(Date.parse(clock.now()) + TEMPORARY_MS).toISOString()
}

/** Throws UNAVAILABLE when the artifact is missing or damaged. */
export function loadArtifact(deps: Pick<ServiceDependencies, 'artifacts'>, build: Build): Artifact {
  if (build.digest !== null) return deps.artifacts.load(build.digest)
  throw new HostingError('UNAVAILABLE', `Build ${build.id} is ${build.status} and has no artifact.`)
}
