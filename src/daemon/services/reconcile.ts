import type { Deployment } from '../store/deployments.ts'
import { isHeld } from './addresses.ts'
import { moveBuild } from './builds.ts'
import { moveDeployment } from './deployment-states.ts'
import type { Deployments } from './deployments.ts'
import { scalingOf } from './environments.ts'
import { watchLeftovers } from './leftovers.ts'
import { vacatePlace } from './places.ts'
import type { Previews } from './previews.ts'
import { retryRepaired } from './repaired.ts'
import type { Rooms } from './rooms.ts'
import { servedDeployment } from './served.ts'
import { forEachBounded } from './turns.ts'

const OPENED_AT_ONCE = 64
const STARTED_AT_ONCE = 4
/** The daemon before this one serves on for so long. */
const START_FIRST_MS = 20_000

const INTERRUPTED = {
  code: 'INTERRUPTED',
  message: 'The daemon ended while this was being done.',
  details: 'Do it again.',
}

export interface Reconciliation {
  rooms: Rooms
  deployments: Deployments
  previews: Previews
}

type Starting = Omit<Reconciliation, 'previews'>

/**
 * Makes the world as the store says: interrupted work is failed, every address that serves listens again, what must run
 * is started in the background and what may sleep waits for its first connection. `startFirst`: another daemon serves
 * meanwhile, so what must run is started before a connection can come.
 */
export async function reconcile(
  { rooms, deployments, previews }: Reconciliation,
  { startFirst }: { startFirst: boolean } = { startFirst: false },
): Promise<void> {
  failInterrupted(rooms)
  const deployed = rooms.store.deployments.withStatus('deployed')
  if (startFirst) await startBeforeListening(rooms, deployed)
  const listening: Deployment[] = []
  const held: Deployment[] = []
  await forEachBounded(deployed, OPENED_AT_ONCE, async deployment => {
    try {
      await reopen(rooms, deployment)
      listening.push(deployment)
    } catch (error) {
      if (isHeld(error)) held.push(deployment)
      else await fail({ rooms, deployments }, deployment, error)
    }
  })
  rooms.background.run(() => startAll({ rooms, deployments }, listening))
  rooms.background.run(() => reopenHeld({ rooms, deployments }, held))
  await reopenPreviews(rooms, previews)
  rooms.background.run(() => retryRepaired({ rooms, deployments }))
  watchLeftovers(rooms)
}

function failInterrupted(rooms: Rooms): void {
  rooms.store.transaction(() => {
    for (const build of rooms.store.builds.withStatus('building'))
      moveBuild(rooms, build, 'failed', { error: INTERRUPTED })
    for (const deployment of rooms.store.deployments.withStatus('deploying'))
      moveDeployment(rooms, deployment, 'failed', { error: INTERRUPTED })
  })
}

/** One that was stopped or removed while its port was waited for stays so. Throws what `Addresses.open` and `servedDeployment` do. */
async function reopen(rooms: Rooms, deployment: Deployment, { waits = false } = {}): Promise<void> {
  const { id, name, environment } = deployment
  const { store, supervisor, addresses } = rooms
  await addresses.open(name, environment, { waits })
  const served = supervisor.has(id) ? undefined : await servedDeployment(rooms, deployment)
  if (store.deployments.find(id)?.status !== 'deployed') return vacatePlace(rooms, deployment)
  if (served && !supervisor.has(id)) supervisor.add(served)
  addresses.point(name, environment, id)
}

/** One that an instance of the killed daemon holds will be free in a moment; nobody else has to wait for that. */
async function reopenHeld(starting: Starting, held: Deployment[]): Promise<void> {
  await forEachBounded(held, OPENED_AT_ONCE, async deployment => {
    try {
      await reopen(starting.rooms, deployment, { waits: true })
      await startAll(starting, [deployment])
    } catch (error) {
      await fail(starting, deployment, error)
    }
  })
}

/** What does not start in time starts behind its address, as after any start of the daemon. */
async function startBeforeListening(rooms: Rooms, deployed: readonly Deployment[]): Promise<void> {
  const awake = deployed.filter(deployment => scalingOf(deployment).min > 0)
  const limit = new Promise<void>(resolve => setTimeout(resolve, START_FIRST_MS).unref())
  const started = forEachBounded(awake, STARTED_AT_ONCE, async deployment => {
    const { id, name, environment } = deployment
    if (!rooms.addresses.find(name, environment)) return
    try {
      rooms.supervisor.add(await servedDeployment(rooms, deployment))
      await rooms.supervisor.start(id)
    } catch {
      // It is tried again behind its address, and told then.
    }
  })
  await Promise.race([started, limit])
}

/** Those that are never to sleep. */
async function startAll(starting: Starting, listening: Deployment[]): Promise<void> {
  const { background, supervisor } = starting.rooms
  const awake = listening.filter(deployment => scalingOf(deployment).min > 0)
  await forEachBounded(awake, STARTED_AT_ONCE, async deployment => {
    if (background.closing || !supervisor.has(deployment.id)) return
    try {
      await supervisor.start(deployment.id)
    } catch (error) {
      await fail(starting, deployment, error)
    }
  })
}

/** What a full disk does not take is told and tried again (`Background.insist`): it keeps no other from starting. */
async function fail({ rooms, deployments }: Starting, { id }: Deployment, error: unknown): Promise<void> {
  if (rooms.background.closing) return // it is started by the next daemon
  await deployments.failed(id, error).catch(rooms.background.report)
}

async function reopenPreviews(rooms: Rooms, previews: Previews): Promise<void> {
  const servers = rooms.store.servers.list()
  await forEachBounded(servers, OPENED_AT_ONCE, async server => {
    try {
      await previews.reopen(server)
    } catch (error) {
      // One preview whose port another program holds must not keep the daemon from starting.
      rooms.background.report(error)
    }
  })
}
