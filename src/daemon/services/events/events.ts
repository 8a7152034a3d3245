import { scopeOf } from '../../../shared/contract/monitoring/change-types.ts'
import type { ChangeEvent, FeedEvent } from '../../../shared/contract/monitoring/events.ts'
import type { Principal } from '../access/api-keys.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { DeploymentRecords } from '../deployments/deployment-records.ts'
import type { DeploymentMetrics } from '../metrics/deployment-metrics.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { LoggedEvent } from './event-log.ts'
import { HealthWatch } from './health-watch.ts'
import { Ticks, WakeUp } from './wake-up.ts'

type Dependencies = Pick<ServiceDependencies, 'background' | 'changes' | 'requestMetrics' | 'store'>

interface EventServices {
  records: Pick<DeploymentRecords, 'healthStatus'>
  deploymentMetrics: DeploymentMetrics
}

interface EventFilter {
  server?: string | undefined
  /** Undefined for all. */
  types?: readonly string[] | undefined
}

export interface FollowOptions extends EventFilter {
  /** The feed contains only events that this key may read. */
  principal: Principal
  /** Seconds between two events with metrics. Undefined for none. Requires READ. */
  metrics?: number | undefined
  /** Id of the last event that the client received. */
  after?: string | undefined
  signal: AbortSignal
}

/** The event feed of one client. */
export class Events {
  readonly #changes: ChangeFeed
  readonly #metrics: DeploymentMetrics

  constructor(deps: Dependencies, { records, deploymentMetrics }: EventServices) {
    this.#changes = deps.changes
    this.#metrics = deploymentMetrics
    deps.changes.add(new HealthWatch(deps, records))
  }

  /** Begins with a reset or with the event after `after`. A client that loads a record after the reset misses no change to it. */
  async *follow(options: FollowOptions): AsyncGenerator<LoggedEvent<FeedEvent>> {
    const { signal, after } = options
    const { log, reader, close } = this.#changes.open(after)
    const wakeUp = new WakeUp()
    const stopListening = log.onAdded(wakeUp.call)
    signal.addEventListener('abort', wakeUp.call, { once: true })
    const ticks = new Ticks(this.#ticks(options), wakeUp.call)
    try {
      while (!signal.aborted) {
        for (let next = reader.next(); next && !signal.aborted; next = reader.next())
          if (isWanted(next.data, options)) yield next
        const metrics = ticks.take()
        if (metrics) yield { id: reader.id, data: { type: 'metrics', ...metrics } }
        else await wakeUp.wait()
      }
    } finally {
      stopListening()
      ticks.stop()
      close()
    }
  }

  #ticks({ metrics, server, signal }: FollowOptions) {
    if (metrics === undefined) return undefined
    return this.#metrics.watch({ name: server, intervalSeconds: metrics, signal })
  }
}

function isWanted(
  event: ChangeEvent | Extract<FeedEvent, { type: 'reset' }>,
  { types, server, principal }: FollowOptions,
): boolean {
  if (event.type === 'reset') return true
  if (!principal.scopes.includes(scopeOf(event.type))) return false
  if (types && !types.includes(event.type)) return false
  return server === undefined || event.server === server
}
