import { RequestTally, type SeriesCounts, type SeriesName } from '../../../shared/instances/request-tally.ts'

/** The deployment or preview that answered requests. */
export interface LedgerOwner {
  /** Undefined for a preview. */
  deploymentId: string | undefined
  server: string
  environment: string
  /** Tools of the owner's build. Calls of other tools are counted together. */
  tools: ReadonlySet<string>
}

interface Account extends LedgerOwner {
  series: Map<string, { name: SeriesName; tally: RequestTally }>
}

const OTHER = '(other)'
/** MCP has fewer methods, but a process may invent more. */
const MAX_METHODS = 30

/** Totals requests by deployment or preview. */
export class RequestLedger {
  #accounts = new Map<string, Account>()

  get isEmpty(): boolean {
    return this.#accounts.size === 0
  }

  /** Calls `findOwner` for a new id. Ignores ids without an owner. */
  add(id: string, series: readonly SeriesCounts[], findOwner: (id: string) => LedgerOwner | undefined): void {
    let account = this.#accounts.get(id)
    if (!account) {
      const owner = findOwner(id)
      if (!owner) return
      account = { ...owner, series: new Map() }
      this.#accounts.set(id, account)
    }
    for (const one of series) addTo(account, one)
  }

  counts(id: string): SeriesCounts[] {
    const account = this.#accounts.get(id)
    return account ? countsOf(account) : []
  }

  all(): (LedgerOwner & { id: string; series: SeriesCounts[] })[] {
    return [...this.#accounts].map(([id, account]) => ({ id, ...account, series: countsOf(account) }))
  }

  clear(): void {
    this.#accounts = new Map()
  }
}

function addTo(account: Account, { method, tool, ...counts }: SeriesCounts): void {
  const name = boundedName(account, { method, tool })
  const key = name.tool === '' ? name.method : `${name.method} ${name.tool}`
  const known = account.series.get(key) ?? { name, tally: new RequestTally() }
  account.series.set(key, known)
  known.tally.add(counts)
}

/** Limits the number of names, because user code may run in the process that reports them. */
function boundedName({ tools, series }: Account, { method, tool }: SeriesName): SeriesName {
  if (method === 'tools/call') return { method, tool: tools.has(tool) ? tool : OTHER }
  const isNew = !series.has(method)
  return { method: isNew && series.size >= tools.size + MAX_METHODS ? OTHER : method, tool: '' }
}

function countsOf({ series }: Account): SeriesCounts[] {
  return [...series.values()].map(({ name, tally }) => ({ ...name, ...tally.counts() }))
}
