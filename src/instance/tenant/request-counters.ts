import type { TenantMetrics } from '../../shared/instances/instance-protocol.ts'
import { type RequestTally, type SeriesCounts, tallyOf } from '../../shared/instances/request-tally.ts'

/** Maximum number of tools counted separately. A server cannot list more. */
const MAX_TOOLS = 1000
/** Everything else is counted under this name, so that names invented by clients do not use memory. */
const OTHER = '(other)'

/** Methods of both eras that are counted separately. */
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

/** Request counts of one tenant since it was first served. */
export class RequestCounters {
  active = 0
  requests = 0
  errors = 0
  lastRequestAt = 0
  readonly #isTool: (name: string) => boolean
  // Created on first use, because a host keeps thousands of tenants that are rarely called.
  #methods: Map<string, RequestTally> | undefined
  #tools: Map<string, RequestTally> | undefined

  /** `isTool` returns true for the names of the server's tools. */
  constructor(isTool: (name: string) => boolean) {
    this.#isTool = isTool
  }

  /** `tool` is set for `tools/call` only. */
  count(method: string, tool: string | undefined, ms: number, failed: boolean): void {
    this.requests++
    if (failed) this.errors++
    this.lastRequestAt = Date.now()
    const tally = tool === undefined ? this.#methodTally(method) : this.#toolTally(tool)
    tally.record(ms, failed)
  }

  /** Metrics for the daemon. `connections` and `sessions` are the tenant's current numbers. Resets the series. */
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

/** Returns the counts and frees them, so that rarely called servers do not hold memory. */
function takeCounts(tallies: Map<string, RequestTally> | undefined, method?: string): SeriesCounts[] {
  const all = [...(tallies ?? [])]
  tallies?.clear()
  return all.map(([name, tally]) => ({
    method: method ?? name,
    tool: method ? name : '',
    ...tally.counts(),
  }))
}
