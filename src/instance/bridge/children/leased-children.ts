import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { ClientContext } from '../../server/client-context.ts'
import type { ChildEvents, McpChild } from '../mcp-child.ts'
import { ChildSlot } from './child-slot.ts'
import { type ChildrenOptions, logCrash, outputEvents, type UseChild } from './children.ts'

/** Maximum number of children, each of which runs one call at a time. Additional calls wait. */
const MAX_LEASES = 8
/** Unused children other than the first are stopped after this time. */
const IDLE_MS = 60_000

/** All capabilities that a client may have. A server's request fails if the client lacks the capability for that request. */
export const ALL_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: {} }

interface Lease {
  slot: ChildSlot<McpChild>
  context: ClientContext | undefined
  isTaken: boolean
  freeSince: number
}

/**
 * Children for clients without a session. Each child runs one call at a time, so its questions belong to that call's client. A
 * call uses the first free child, so that consecutive calls usually reach the same child.
 */
export class LeasedChildren {
  /** Called after each handshake of the first child. */
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

  /** Uses the first child, even during another call. */
  query<T>(use: UseChild<T>): Promise<T> {
    return this.#first.slot.use(use)
  }

  async run<T>(context: ClientContext, use: UseChild<T>): Promise<T> {
    const lease = await this.#take()
    try {
      lease.context = context
      return await lease.slot.use(use)
    } finally {
      this.#release(lease)
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

  #release(lease: Lease): void {
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
        open: onStarted => this.#open(lease, onStarted),
        onCrash: logCrash(this.#options.reporter),
        onCrashLoop: this.#options.onCrashLoop,
      }),
    }
    this.#leases.push(lease)
    this.#sweep ??= setInterval(() => this.#stopIdle(), IDLE_MS / 4).unref()
    return lease
  }

  async #open(lease: Lease, onStarted: (child: McpChild) => void): Promise<McpChild> {
    const child: McpChild = this.#options.spawn(this.#events(lease, () => child))
    onStarted(child)
    await child.initialize({ capabilities: ALL_CAPABILITIES, info: undefined })
    if (lease === this.#leases[0]) this.onReady?.(child)
    return child
  }

  #stopIdle(): void {
    const limit = Date.now() - IDLE_MS
    for (const lease of this.#leases.slice(1)) {
      if (lease.isTaken || lease.freeSince > limit) continue
      this.#leases.splice(this.#leases.indexOf(lease), 1)
      void lease.slot.close()
    }
  }

  #events(lease: Lease, child: () => McpChild): ChildEvents {
    const { reporter } = this.#options
    return {
      ...outputEvents(reporter),
      onAsk: async (method, params, unwanted) => {
        const { context } = lease
        if (!context)
          throw new RpcError(RPC.methodNotFound, 'No call is running, so there is no client to ask')
        try {
          return await context.ask(method, params, undefined, unwanted)
        } catch (error) {
          // The client has not answered yet, so the call fails here and the client's next attempt repeats it.
          if (!(error instanceof RpcError)) child().failCall(context, error)
          throw error
        }
      },
      onLog: (level, data, logger) => lease.context?.log(level, data, logger),
      onListChanged: list => reporter.announce(list),
      onResourceUpdated: uri => reporter.resourceUpdated(uri),
    }
  }
}
