import { scopeOf } from '../../../shared/contract/monitoring/change-types.ts'
import type { ChangeEvent, FeedEvent } from '../../../shared/contract/monitoring/events.ts'
import type { ApiKeys, Principal } from '../access/api-keys.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import type { DeploymentRecords } from '../deployments/deployment-records.ts'
import type { DeploymentMetrics } from '../metrics/deployment-metrics.ts'
import type { ChangeFeed } from './change-feed.ts'
import type { LoggedEvent } from './event-log.ts'
import { HealthWatch } from './health-watch.ts'
import { Ticks, WakeUp } from './wake-up.ts'

type Dependencies = Pick<ServiceDependencies, 'background' | 'changes' | 'requestMetrics' | 'store'>

interface Siblings {
  records: Pick<DeploymentRecords, 'healthStatus'>
  deploymentMetrics: DeploymentMetrics
  apiKeys: ApiKeys
}

interface EventFilter {
  server?: string | undefined
  /** Undefined for all. */
  types?: readonly string[] | undefined
}

export interface FollowOptions extends EventFilter {
  /** Only events that it may read. The stream ends when it is revoked or expires. */
  principal: Principal
  /** Seconds between two events with metrics. Undefined for none. */
  metrics?: number | undefined
  /** Id of the last event that the client received. */
  after?: string | undefined
  signal: AbortSignal
}

/** The event feed of one client. */
export class Events {
  readonly #changes: ChangeFeed
  readonly #metrics: DeploymentMetrics
  readonly #apiKeys: ApiKeys

  constructor(deps: Dependencies, { records, deploymentMetrics, apiKeys }: Siblings) {
    this.#changes = deps.changes
    this.#metrics = deploymentMetrics
    this.#apiKeys = apiKeys
    deps.changes.add(new HealthWatch(deps, records))
  }

  /** Begins with a reset, or with the event after `after`. A client that loads a record after the reset misses no change of it. */
  async *follow(options: FollowOptions): AsyncGenerator<LoggedEvent<FeedEvent>> {
    const { signal, principal, after } = options
    const { log, reader, close } = this.#changes.open(after)
    const wakeUp = new WakeUp()
    const stopListening = log.onAdded(wakeUp.call)
    signal.addEventListener('abort', wakeUp.call, { once: true })
    const ticks = new Ticks(this.#ticks(options), wakeUp.call)
    try {
      if (!this.#apiKeys.exists(principal)) return // revoked while the stream was opened
      while (!signal.aborted && !this.#apiKeys.isExpired(principal)) {
        for (let next = reader.next(); next && !signal.aborted; next = reader.next()) {
          if (isRevocation(next.data, principal)) return
          if (isWanted(next.data, options)) yield next
        }
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

  #ticks({ metrics, principal, server, signal }: FollowOptions) {
    if (metrics === undefined || !principal.scopes.includes('READ')) return undefined
    return this.#metrics.watch({ name: server, intervalSeconds: metrics, signal })
  }
}

function isRevocation(event: FeedEvent, { id }: Principal): boolean {
  return event.type === 'key' && event.action === 'removed' && event.id === id
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
