import { type ClientContext, RpcError } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { ChildSlot } from './child-slot.ts'
import { type ChildrenOptions, outputEvents, tellCrash, type Use } from './children.ts'
import type { ChildEvents, McpChild } from './mcp-child.ts'

/** Calls at one time; the next one waits for one of these to end. */
const MAX_LEASES = 8
/** All but the first are ended when they were not needed for so long. */
const IDLE_MS = 60_000

/** What a client may turn out to have; what it lacks is told when the server asks for it. */
export const ALL_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }

interface Lease {
  slot: ChildSlot<McpChild>
  context: ClientContext | undefined
  isTaken: boolean
  freeSince: number
}

/**
 * Children for clients without a session: each has one call at a time, so what it asks is asked of that call's client. The
 * first free one is taken, so that a client that makes one call after the other always meets the same child.
 */
export class LeasedChildren {
  /** Called with the first of them after each handshake. */
  onReady: ((child: McpChild) => void) | undefined
  readonly #options: ChildrenOptions
  readonly #leases: Lease[] = []
  readonly #waiting: ((lease: Lease) => void)[] = []
  #sweep: NodeJS.Timeout | undefined

  constructor(options: ChildrenOptions) {
    this.#options = options
  }

  get running(): McpChild[] {
    return this.#leases.flatMap(({ slot }) => slot.current ?? [])
  }

  async start(): Promise<void> {
    await this.#first.slot.get()
  }

  /** Beside whatever call the first child has. */
  glance<T>(use: Use<T>): Promise<T> {
    return this.#first.slot.use(use)
  }

  async run<T>(context: ClientContext, use: Use<T>): Promise<T> {
    const lease = await this.#take()
    try {
      lease.context = context
      return await lease.slot.use(use)
    } finally {
      this.#free(lease)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all(this.#leases.map(({ slot }) => slot.close()))
  }

  get #first(): Lease {
    return this.#leases[0] ?? this.#add()
  }

  #take(): Lease | Promise<Lease> {
    const free = this.#leases.find(({ isTaken }) => !isTaken)
    const lease = free ?? (this.#leases.length < MAX_LEASES ? this.#add() : undefined)
    if (!lease) return new Promise(resolve => this.#waiting.push(resolve))
    lease.isTaken = true
    return lease
  }

  #free(lease: Lease): void {
    lease.context = undefined
    const next = this.#waiting.shift()
    if (next) return next(lease)
    lease.isTaken = false
    lease.freeSince = Date.now()
  }

  #add(): Lease {
    const lease: Lease = {
      context: undefined,
      isTaken: false,
      freeSince: Date.now(),
      slot: new ChildSlot({
        open: began => this.#open(lease, began),
        onCrash: tellCrash(this.#options.outlet),
        onCrashLoop: this.#options.onCrashLoop,
      }),
    }
    this.#leases.push(lease)
    this.#sweep ??= setInterval(() => this.#endIdle(), IDLE_MS / 4).unref()
    return lease
  }

  async #open(lease: Lease, began: (child: McpChild) => void): Promise<McpChild> {
    const child: McpChild = this.#options.spawn(this.#events(lease, () => child))
    began(child)
    await child.initialize({ capabilities: ALL_CAPABILITIES, info: undefined })
    if (lease === this.#leases[0]) this.onReady?.(child)
    return child
  }

  #endIdle(): void {
    const limit = Date.now() - IDLE_MS
    for (const lease of this.#leases.slice(1)) {
      if (lease.isTaken || lease.freeSince > limit) continue
      this.#leases.splice(this.#leases.indexOf(lease), 1)
      void lease.slot.close()
    }
  }

  #events(lease: Lease, child: () => McpChild): ChildEvents {
    const { outlet } = this.#options
    return {
      ...outputEvents(outlet),
      onAsk: async (method, params, unwanted) => {
        const { context } = lease
        if (!context) throw new RpcError(RPC.methodNotFound, 'No client is calling, so nobody can be asked')
        try {
          return await context.ask(method, params, undefined, unwanted)
        } catch (error) {
          // Not the client's answer: the call ends here, and the client's next try begins it anew.
          if (!(error instanceof RpcError)) child().failCall(context, error)
          throw error
        }
      },
      onLog: (level, data, logger) => lease.context?.log(level, data, logger),
      onListChanged: list => outlet.announce(list),
      onResourceUpdated: uri => outlet.resourceUpdated(uri),
    }
  }
}
