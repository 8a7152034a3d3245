import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { CallerSession, ClientContext, ClientFacts } from '../../server/client-context.ts'
import type { ChildEvents, McpChild } from '../mcp-child.ts'
import { ChildSlot } from './child-slot.ts'
import { type Children, type ChildrenOptions, logCrash, outputEvents, type UseChild } from './children.ts'
import { LeasedChildren } from './leased-children.ts'
import { SpareChild } from './spare-child.ts'

export interface SessionLimits {
  /** Maximum number of children with a session. Calls in additional sessions are refused. */
  maxChildren: number
  /** Unused children are stopped after this time, unless their client holds a stream. The next request starts a new one. */
  idleMs: number
}

interface SessionChild {
  session: CallerSession
  client: ClientFacts
  slot: ChildSlot<McpChild>
  lastUsedAt: number
  forget(): void
}

/** One child per session. Clients without a session lease a child per call. */
export class SessionChildren implements Children {
  readonly isShared = false
  onReady: Children['onReady']
  readonly #options: ChildrenOptions
  readonly #limits: SessionLimits
  readonly #sessions = new Map<string, SessionChild>()
  readonly #ending = new Set<Promise<void>>()
  readonly #leased: LeasedChildren
  readonly #spare: SpareChild
  #sweep: NodeJS.Timeout | undefined

  constructor(options: ChildrenOptions, limits: SessionLimits) {
    this.#options = options
    this.#limits = limits
    this.#spare = new SpareChild(() => options.spawn({ ...outputEvents(options.reporter), ...SPARE_EVENTS }))
    this.#leased = new LeasedChildren(options)
    this.#leased.onReady = child => this.onReady?.(child)
  }

  get running(): McpChild[] {
    return [
      ...[...this.#sessions.values()].flatMap(({ slot }) => slot.current ?? []),
      ...this.#leased.running,
    ]
  }

  get common(): McpChild | undefined {
    return this.#leased.running[0]
  }

  of(session: CallerSession): McpChild | undefined {
    return this.#sessions.get(session.id)?.slot.current
  }

  async start(): Promise<void> {
    await this.#leased.start()
    this.#spare.fill()
  }

  run<T>(context: ClientContext, use: UseChild<T>): Promise<T> {
    return context.session ? this.#runIn(context.session, context, use) : this.#leased.run(context, use)
  }

  query<T>(context: ClientContext, use: UseChild<T>): Promise<T> {
    return context.session ? this.#runIn(context.session, context, use) : this.#leased.query(use)
  }

  #runIn<T>(session: CallerSession, context: ClientContext, use: UseChild<T>): Promise<T> {
    const entry = this.#sessions.get(session.id) ?? this.#add(session, context.client)
    entry.lastUsedAt = Date.now()
    return entry.slot.use(use)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    for (const entry of this.#sessions.values()) this.#forget(entry)
    await Promise.all([this.#spare.close(), this.#leased.close(), ...this.#ending])
  }

  #add(session: CallerSession, client: ClientFacts): SessionChild {
    if (this.#sessions.size >= this.#limits.maxChildren) throw this.#limitError()
    const entry: SessionChild = {
      session,
      client,
      lastUsedAt: Date.now(),
      forget: () => this.#forget(entry),
      slot: new ChildSlot({
        open: onStarted => this.#open(entry, onStarted),
        onCrash: logCrash(this.#options.reporter),
      }),
    }
    this.#sessions.set(session.id, entry)
    session.ended.addEventListener('abort', entry.forget, { once: true })
    this.#sweep ??= setInterval(() => this.#stopIdle(), Math.max(50, this.#limits.idleMs / 4)).unref()
    return entry
  }

  async #open({ session, client }: SessionChild, onStarted: (child: McpChild) => void): Promise<McpChild> {
    const child = this.#spare.take()
    onStarted(child)
    child.events = this.#events(session, child)
    await child.initialize(client)
    this.onReady?.(child, session)
    return child
  }

  #forget(entry: SessionChild): void {
    if (this.#sessions.get(entry.session.id) === entry) this.#sessions.delete(entry.session.id)
    entry.session.ended.removeEventListener('abort', entry.forget)
    const ended = entry.slot.close()
    this.#ending.add(ended)
    void ended.finally(() => this.#ending.delete(ended))
  }

  #stopIdle(): void {
    const limit = Date.now() - this.#limits.idleMs
    for (const entry of this.#sessions.values())
      if (entry.lastUsedAt < limit && !entry.session.isListening && !entry.slot.isBusy) this.#forget(entry)
    if (this.#sessions.size > 0) return
    clearInterval(this.#sweep)
    this.#sweep = undefined
  }

  #limitError(): RpcError {
    return new RpcError(
      RPC.refused,
      `This server runs one process per session and has reached the limit of ${this.#limits.maxChildren}. Try again later.`,
    )
  }

  #events(session: CallerSession, child: McpChild): ChildEvents {
    const current = () => child.calls.at(-1)
    return {
      ...outputEvents(this.#options.reporter),
      onAsk: (method, params, unwanted) => {
        const call = current()
        return call ? call.ask(method, params, undefined, unwanted) : session.ask(method, params, unwanted)
      },
      onLog: (level, data, logger) => {
        const call = current()
        if (call) call.log(level, data, logger)
        else
          session.notify('notifications/message', {
            level,
            data,
            ...(logger === undefined ? {} : { logger }),
          })
      },
      onListChanged: list => session.notify(`notifications/${list}/list_changed`),
      onResourceUpdated: uri => session.notify('notifications/resources/updated', { uri }),
    }
  }
}

/** Events of a spare child, which no client uses yet. */
const SPARE_EVENTS: Omit<ChildEvents, 'onStderr' | 'onNoise'> = {
  onAsk: () => Promise.reject(new RpcError(RPC.methodNotFound, 'No client is connected yet')),
  onLog: () => {},
  onListChanged: () => {},
  onResourceUpdated: () => {},
}
