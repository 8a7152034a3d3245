import type { Deployment } from '../../store/tables/deployments.ts'
import { removeExpiredIdempotencyKeys } from '../access/idempotency-keys.ts'
import { isPortConflict } from '../addresses/addresses.ts'
import { closeUnusedAddress } from '../addresses/close-address.ts'
import type { Previews } from '../builds/previews.ts'
import { moveBuild } from '../builds/stored-builds.ts'
import { forEachConcurrently } from '../concurrency.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { moveDeployment } from '../deployments/deployment-states.ts'
import type { Deployments } from '../deployments/deployments.ts'
import { scalingOf } from '../deployments/environments.ts'
import { removeExpiredLogs } from '../deployments/release-history.ts'
import { type CleanupDependencies, removeLeftovers } from './leftovers.ts'
import { retryRepaired } from './retry-repaired.ts'
import { deploymentWorkload, type WorkloadDependencies } from './workloads.ts'

const OPEN_CONCURRENCY = 64
const START_CONCURRENCY = 4
/** Maximum wait for starts while the previous daemon keeps serving. */
const START_FIRST_MS = 20_000

const interrupted = (work: 'build' | 'deployment') => ({
  code: 'INTERRUPTED',
  message: `The daemon stopped before the ${work} was finished.`,
  details: 'Try again.',
})

type StartDependencies = WorkloadDependencies & Pick<ServiceDependencies, 'supervisor'>

export interface Reconciliation {
  deps: StartDependencies & CleanupDependencies & Pick<ServiceDependencies, 'closing'>
  deployments: Deployments
  previews: Previews
}

type StartInput = Omit<Reconciliation, 'previews'>

/**
 * Restores the stored state when the daemon starts. Fails interrupted work, opens the addresses of deployments, and starts, in
 * the background, those that must run. Other deployments sleep until their first connection. With `startFirst`, another daemon is
 * still serving, so deployments that must run are started before the addresses open.
 */
export async function reconcile(
  { deps, deployments, previews }: Reconciliation,
  { startFirst }: { startFirst: boolean } = { startFirst: false },
): Promise<void> {
  failInterrupted(deps)
  const deployed = deps.store.deployments.listByStatus('deployed')
  if (startFirst) await startBeforeListening(deps, deployed)
  const listening: Deployment[] = []
  const conflicting: Deployment[] = []
  await forEachConcurrently(deployed, OPEN_CONCURRENCY, async deployment => {
    try {
      await reopen(deps, deployment)
      listening.push(deployment)
    } catch (error) {
      if (isPortConflict(error)) conflicting.push(deployment)
      else await fail({ deps, deployments }, deployment, error)
    }
  })
  deps.background.run(() => startAll({ deps, deployments }, listening))
  deps.background.run(() => reopenConflicting({ deps, deployments }, conflicting))
  await reopenPreviews(deps, previews)
  deps.background.run(() => retryRepaired({ deps, deployments }))
  scheduleCleanup(deps)
}

function failInterrupted(deps: Pick<ServiceDependencies, 'background' | 'clock' | 'logs' | 'store'>): void {
  deps.store.transaction(() => {
    for (const build of deps.store.builds.listByStatus('building'))
      moveBuild(deps, build, 'failed', { error: interrupted('build') })
    for (const deployment of deps.store.deployments.listByStatus('deploying'))
      moveDeployment(deps, deployment, 'failed', { error: interrupted('deployment') })
  })
}

/**
 * Skips a deployment that was stopped or removed in the meantime. Throws the errors of `Addresses.open` and `deploymentWorkload`.
 */
async function reopen(
  deps: StartDependencies,
  deployment: Deployment,
  { waits = false } = {},
): Promise<void> {
  const { id, name, environment } = deployment
  const { store, supervisor, addresses } = deps
  await addresses.open(name, environment, { waits })
  const served = supervisor.has(id) ? undefined : await deploymentWorkload(deps, deployment)
  if (store.deployments.find(id)?.status !== 'deployed') return closeUnusedAddress(deps, deployment)
  if (served && !supervisor.has(id)) supervisor.add(served)
  addresses.point(name, environment, id)
}

/** Waits for ports that instances of a killed daemon still hold. Other deployments do not wait. */
async function reopenConflicting(starting: StartInput, conflicting: Deployment[]): Promise<void> {
  await forEachConcurrently(conflicting, OPEN_CONCURRENCY, async deployment => {
    try {
      await reopen(starting.deps, deployment, { waits: true })
      await startAll(starting, [deployment])
    } catch (error) {
      await fail(starting, deployment, error)
    }
  })
}

/** Deployments that do not start in time are started after their address is open. */
async function startBeforeListening(deps: StartDependencies, deployed: readonly Deployment[]): Promise<void> {
  const awake = deployed.filter(deployment => scalingOf(deployment).min > 0)
  const limit = new Promise<void>(resolve => setTimeout(resolve, START_FIRST_MS).unref())
  const started = forEachConcurrently(awake, START_CONCURRENCY, async deployment => {
    const { id, name, environment } = deployment
    if (!deps.addresses.find(name, environment)) return
    try {
      deps.supervisor.add(await deploymentWorkload(deps, deployment))
      await deps.supervisor.start(id)
    } catch {
      // The start is retried after the address is open, and reported then.
    }
  })
  await Promise.race([started, limit])
}

/** Starts the deployments that never sleep. */
async function startAll(starting: StartInput, listening: Deployment[]): Promise<void> {
  const { background, supervisor } = starting.deps
  const awake = listening.filter(deployment => scalingOf(deployment).min > 0)
  await forEachConcurrently(awake, START_CONCURRENCY, async deployment => {
    if (background.closing || !supervisor.has(deployment.id)) return
    try {
      await supervisor.start(deployment.id)
    } catch (error) {
      await fail(starting, deployment, error)
    }
  })
}

/** A failed write is reported and repeated (`Background.retryUntilWritten`), so that other deployments still start. */
async function fail({ deps, deployments }: StartInput, { id }: Deployment, error: unknown): Promise<void> {
  if (deps.background.closing) return // the next daemon starts it
  await deployments.fail(id, error).catch(deps.background.report)
}

async function reopenPreviews(
  deps: Pick<ServiceDependencies, 'background' | 'store'>,
  previews: Previews,
): Promise<void> {
  const servers = deps.store.servers.list()
  await forEachConcurrently(servers, OPEN_CONCURRENCY, async server => {
    try {
      await previews.reopen(server)
    } catch (error) {
      // A preview that cannot open must not prevent the daemon from starting.
      deps.background.report(error)
    }
  })
}

const CLEANUP_EVERY_MS = 24 * 3600_000

/** Cleans up immediately, then daily. */
function scheduleCleanup(deps: CleanupDependencies & Pick<ServiceDependencies, 'clock' | 'closing'>): void {
  const cleanUp = () => {
    deps.background.attempt(() => removeExpiredIdempotencyKeys(deps))
    deps.background.run(() => removeExpiredLogs(deps))
    deps.background.run(() => removeLeftovers(deps))
  }
  cleanUp()
  const timer = setInterval(cleanUp, CLEANUP_EVERY_MS).unref()
  deps.closing.addEventListener('abort', () => clearInterval(timer), { once: true })
}
