import type { TenantMetrics } from '../shared/instance-protocol.ts'
import { type RequestTally, type SeriesCounts, tallyOf } from '../shared/request-tally.ts'

/** Tools with figures of their own; more cannot be listed either. */
const MAX_TOOLS = 1000
/** What clients make up is counted together: no name that only a client knows may cost memory. */
const OTHER = '(other)'

/** Methods of both eras; of others nobody wants to know which. */
const METHODS: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'tools/list',
  'tools/call',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
])

/** Requests of one tenant, counted since it was served. */
export class RequestCounters {
  active = 0
  requests = 0
  errors = 0
  lastRequestAt = 0
  readonly #isTool: (name: string) => boolean
  // Made by the first request of their kind: a host keeps thousands of tenants that are hardly ever called.
  #methods: Map<string, RequestTally> | undefined
  #tools: Map<string, RequestTally> | undefined

  /** `isTool`: whether the server says that it has a tool of this name. */
  constructor(isTool: (name: string) => boolean) {
    this.#isTool = isTool
  }

  /** `tool`: of a `tools/call`. */
  count(method: string, tool: string | undefined, ms: number, failed: boolean): void {
    this.requests++
    if (failed) this.errors++
    this.lastRequestAt = Date.now()
    const tally = tool === undefined ? this.#methodTally(method) : this.#toolTally(tool)
    tally.record(ms, failed)
  }

  /** As the daemon wants it, with what only the tenant knows. What it takes along is counted anew from zero. */
  report(tenantId: string, connections: number, sessions: number): TenantMetrics {
    return {
      tenantId,
      connections,
      activeRequests: this.active,
      sessions,
      requests: this.requests,
      errors: this.errors,
      lastRequestAt: this.lastRequestAt,
      series: [...takeCounts(this.#methods), ...takeCounts(this.#tools, 'tools/call')],
    }
  }

  #methodTally(method: string): RequestTally {
    this.#methods ??= new Map()
    return this.#methods.get(method) ?? tallyOf(this.#methods, METHODS.has(method) ? method : OTHER)
  }

  #toolTally(tool: string): RequestTally {
    this.#tools ??= new Map()
    const known = this.#tools.get(tool)
    if (known) return known
    const isOwn = this.#tools.size < MAX_TOOLS && this.#isTool(tool)
    return tallyOf(this.#tools, isOwn ? tool : OTHER)
  }
}

/** What was counted is freed: servers that were called once would hold it for nothing. */
function takeCounts(tallies: Map<string, RequestTally> | undefined, method?: string): SeriesCounts[] {
  const all = [...(tallies ?? [])]
  tallies?.clear()
  return all.map(([name, tally]) => ({
    method: method ?? name,
    tool: method ? name : '',
    ...tally.counts(),
  }))
}

const REPORT_MS = 1000
/** So that a change after a quiet time is told soon, together with what follows at once. */
const GATHER_MS = 50

/** Calls `send` at most once a second with what changed since, and not at all when nothing did. */
export class ChangeReporter<T> {
  readonly #send: (changed: T[]) => void
  #changed = new Set<T>()
  #timer: NodeJS.Timeout | undefined
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(send: (changed: T[]) => void) {
    this.#send = send
  }

  changed(subject: T): void {
    this.#changed.add(subject)
    this.#timer ??= setTimeout(
      () => this.#report(),
      Math.max(GATHER_MS, this.#sentAt + REPORT_MS - performance.now()),
    ).unref()
  }

  forget(subject: T): void {
    this.#changed.delete(subject)
  }

  #report(): void {
    this.#timer = undefined
    const changed = [...this.#changed]
    this.#changed.clear()
    if (changed.length === 0) return
    this.#sentAt = performance.now()
    this.#send(changed)
  }
}
