import type { ChangeEvent } from '../../../shared/contract/monitoring/events.ts'
import type { InstanceReport } from '../../../shared/contract/monitoring/health-reports.ts'
import type { Served } from '../../runtime/served.ts'
import type { RecordChange } from '../../store/record-changes.ts'
import type { Store } from '../../store/store.ts'
import type { Clock } from '../clock.ts'
import { EventLog, type EventReader } from './event-log.ts'

/** Number of events that a client can miss and still resume. */
const CAPACITY = 2000
/** Time without a reader after which changes are no longer collected. */
const IDLE_MS = 5 * 60_000

export interface ChangeFeedOptions {
  store: Store
  clock: Clock
  onError(error: unknown): void
}

/** Derives further changes from published ones. */
export interface ChangeObserver {
  /** Called when collection starts. Returns a function that ends it. */
  start(): () => void
  onChange(change: ChangeEvent): void
}

/** A deployment or preview of the runtime. */
type ServedName = Pick<Served, 'id' | 'serverName'>

export type NewChange = Omit<ChangeEvent, 'timestamp'>

/** Publishes changes to the daemon's records. Collects nothing until the first reader connects. */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions
  readonly #observers: ChangeObserver[] = []
  #log: EventLog | undefined
  #stops: (() => void)[] = []
  #readers = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: ChangeFeedOptions) {
    this.#options = options
  }

  publish(change: NewChange): void {
    if (!this.#log) return
    const event = { ...change, timestamp: this.#options.clock.wallTime() }
    this.#log.add(event)
    for (const observer of this.#observers) observer.onChange(event)
  }

  publishInstance(served: ServedName, { id, state }: Pick<InstanceReport, 'id' | 'state'>): void {
    if (!this.#log) return
    try {
      this.publish({ type: 'instance', action: actionOf(state), id, ...this.#ownerOf(served), status: state })
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Starts to collect changes. The caller must call the returned `close`. */
  open(after: string | undefined): { log: EventLog; reader: EventReader; close(): void } {
    clearTimeout(this.#idle)
    const log = this.#log ?? this.#start()
    this.#readers++
    return { log, reader: log.reader(after), close: () => this.#closeReader() }
  }

  /** Must be called before the first reader connects. */
  add(observer: ChangeObserver): void {
    this.#observers.push(observer)
  }

  /** Must be called before the database closes. */
  close(): void {
    clearTimeout(this.#idle)
    this.#stop()
  }

  #start(): EventLog {
    const log = new EventLog(CAPACITY)
    const { changes } = this.#options.store.database
    this.#stops = [changes.watch(made => this.#record(made)), ...this.#observers.map(one => one.start())]
    this.#log = log
    return log
  }

  #record(changes: RecordChange[]): void {
    try {
      for (const change of changes) this.publish(change as NewChange)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  #closeReader(): void {
    if (--this.#readers > 0 || !this.#log) return
    this.#idle = setTimeout(() => this.#stop(), IDLE_MS).unref()
  }

  #stop(): void {
    this.#log = undefined
    for (const stop of this.#stops) stop()
    this.#stops = []
  }

  /**
   * Fields that identify the owner of an instance. An instance may outlive the record of its deployment. Its environment is then
   * unknown.
   */
  #ownerOf({ id, serverName: server }: ServedName): Omit<NewChange, 'type' | 'action' | 'id'> {
    if (id.startsWith('mcp_')) return { server, environment: 'preview', mcpId: id }
    const { environment, mcpId } = this.#options.store.deployments.find(id) ?? {}
    return { server, deploymentId: id, ...(environment && { environment, mcpId }) }
  }
}

function actionOf(state: InstanceReport['state']): ChangeEvent['action'] {
  if (state === 'starting') return 'created'
  return state === 'stopped' ? 'removed' : 'updated'
}
