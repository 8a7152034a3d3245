import { type CallerSession, type ClientContext, RpcError, type ServerOutlet } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { ChildSlot } from './child-slot.ts'
import type { ChildEvents, McpChild } from './mcp-child.ts'
import type { EarlyOutlet } from './outlet.ts'

/** The children of one server: which of them answers whom. */
export interface Children {
  /** Starts what must run before the first call. Rejects with ChildStartError. */
  start(): Promise<void>
  /** Has a child do something for a client. Throws or rejects with RpcError when none can be started. */
  run<T>(context: ClientContext, use: Use<T>): Promise<T>
  /** The same for what no server asks its client in the middle of, such as a list. */
  glance<T>(context: ClientContext, use: Use<T>): Promise<T>
  /** All that run. */
  readonly running: McpChild[]
  /** One for all clients. */
  readonly isShared: boolean
  /** What serves clients without a session, when it runs. */
  readonly common: McpChild | undefined
  /** A session's own child, when it runs. */
  of(session: CallerSession): McpChild | undefined
  /** Called with every child after its handshake; `session`: whose it is. */
  onReady: ((child: McpChild, session?: CallerSession) => void) | undefined
  close(): Promise<void>
}

export type Use<T> = (child: McpChild) => Promise<T>

export interface ChildrenOptions {
  /** Starts a process; the handshake is still to come. Throws when there is no such command. */
  spawn(events: ChildEvents): McpChild
  outlet: EarlyOutlet
  /** It ends again and again, before it could do anything. */
  onCrashLoop(sentence: string): void
}

/** What all children have in common: their output goes to the log. */
export function outputEvents(outlet: EarlyOutlet): Pick<ChildEvents, 'onStderr' | 'onNoise'> {
  return {
    onStderr: line => outlet.print('stderr', line),
    onNoise: line => outlet.print('stdout', line),
  }
}

export function tellCrash(
  outlet: ServerOutlet,
  what = 'program',
): (sentence: string, restartMs: number) => void {
  return (sentence, restartMs) => {
    const when = restartMs === 0 ? 'at once' : `in ${restartMs} ms at the earliest`
    outlet.log('error', `the ${what} ${sentence}; it is started anew ${when}`)
  }
}

/** One child for all clients. */
export class SharedChildren implements Children {
  readonly isShared = true
  onReady: Children['onReady']
  readonly #options: ChildrenOptions
  readonly #slot: ChildSlot<McpChild>
  #restart: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: ChildrenOptions) {
    this.#options = options
    this.#slot = new ChildSlot({
      open: began => this.#open(began),
      onCrash: (sentence, restartMs) => this.#onCrash(sentence, restartMs),
      onCrashLoop: options.onCrashLoop,
    })
  }

  get running(): McpChild[] {
    return this.#slot.current ? [this.#slot.current] : []
  }

  get common(): McpChild | undefined {
    return this.#slot.current
  }

  of(): undefined {}

  async start(): Promise<void> {
    await this.#slot.get()
  }

  run<T>(_context: ClientContext, use: Use<T>): Promise<T> {
    return this.#slot.use(use)
  }

  glance<T>(context: ClientContext, use: Use<T>): Promise<T> {
    return this.run(context, use)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#restart)
    await this.#slot.close()
  }

  async #open(began: (child: McpChild) => void): Promise<McpChild> {
    const child: McpChild = this.#options.spawn(this.#events(() => child))
    began(child)
    // It is told of no capabilities: there is nobody in particular that it could ask.
    await child.initialize({ capabilities: {}, info: undefined })
    this.onReady?.(child)
    return child
  }

  /** The next client is not to wait for it. */
  #onCrash(sentence: string, restartMs: number): void {
    tellCrash(this.#options.outlet)(sentence, restartMs)
    if (this.#closed) return
    clearTimeout(this.#restart)
    this.#restart = setTimeout(() => void this.start().catch(() => {}), restartMs) // told by `onCrash`
  }

  #events(child: () => McpChild): ChildEvents {
    const { outlet } = this.#options
    return {
      ...outputEvents(outlet),
      onAsk: method => Promise.reject(cannotAsk(outlet, method)),
      onLog: (level, data, logger) => {
        const client = onlyClient(child().calls)
        if (client) client.log(level, data, logger)
        else outlet.log('info', `${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
      },
      onListChanged: list => outlet.announce(list),
      onResourceUpdated: uri => outlet.resourceUpdated(uri),
    }
  }
}

function cannotAsk(outlet: ServerOutlet, method: string): RpcError {
  const sentence = `the program asked for ${method}, but one process serves all clients, so nobody can be asked; deploy it with --isolation session`
  outlet.log('warn', sentence)
  return new RpcError(RPC.methodNotFound, sentence)
}

/** The newest call when all of them are of one client: what the server says now is said to that client. */
function onlyClient(calls: readonly ClientContext[]): ClientContext | undefined {
  const newest = calls.at(-1)
  if (calls.length <= 1) return newest
  return newest?.session && calls.every(({ session }) => session === newest.session) ? newest : undefined
}
