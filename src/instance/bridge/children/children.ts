import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { CallerSession, ClientContext } from '../../server/client-context.ts'
import type { ServerReporter } from '../../server/prepared-server.ts'
import type { ChildEvents, McpChild } from '../mcp-child.ts'
import type { BufferedReporter } from '../process/buffered-reporter.ts'
import { ChildSlot } from './child-slot.ts'

/** Children of one server, and their assignment to clients. */
export interface Children {
  /** Starts the children that must run before the first call. Rejects with ChildStartError. */
  start(): Promise<void>
  /** Calls `use` with a child for the client's call. Throws or rejects with RpcError when none can be started. */
  run<T>(context: ClientContext, use: UseChild<T>): Promise<T>
  /** Like `run`, for requests that cannot ask the client, such as lists. */
  query<T>(context: ClientContext, use: UseChild<T>): Promise<T>
  readonly running: McpChild[]
  /** True when one child serves all clients. */
  readonly isShared: boolean
  /** First running child that serves clients without a session. */
  readonly common: McpChild | undefined
  /** The session's own child, if it is running. */
  of(session: CallerSession): McpChild | undefined
  /** Called after a child's handshake, with its session if it has one. Of the leased children, only for the first. */
  onReady: ((child: McpChild, session?: CallerSession) => void) | undefined
  close(): Promise<void>
}

export type UseChild<T> = (child: McpChild) => Promise<T>

export interface ChildrenOptions {
  /** Starts a process. The caller completes the handshake. Throws when the command does not exist. */
  spawn(events: ChildEvents): McpChild
  reporter: BufferedReporter
  /** Called when a shared or leased child crashes repeatedly, each time before or shortly after it is ready. */
  onCrashLoop(sentence: string): void
}

/** Event handlers that all children share. They write a child's output to the log. */
export function outputEvents(reporter: BufferedReporter): Pick<ChildEvents, 'onStderr' | 'onNoise'> {
  return {
    onStderr: line => reporter.print('stderr', line),
    onNoise: line => reporter.print('stdout', line),
  }
}

export function logCrash(
  reporter: ServerReporter,
  what = 'program',
): (sentence: string, restartMs: number) => void {
  return (sentence, restartMs) => {
    const when = restartMs === 0 ? 'immediately' : `in ${restartMs} ms at the earliest`
    reporter.log('error', `the ${what} ${sentence}. Restarting ${when}.`)
  }
}

/** One child serves all clients. */
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
      open: onStarted => this.#open(onStarted),
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

  run<T>(_context: ClientContext, use: UseChild<T>): Promise<T> {
    return this.#slot.use(use)
  }

  query<T>(context: ClientContext, use: UseChild<T>): Promise<T> {
    return this.run(context, use)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#restart)
    await this.#slot.close()
  }

  async #open(onStarted: (child: McpChild) => void): Promise<McpChild> {
    const child: McpChild = this.#options.spawn(this.#events(() => child))
    onStarted(child)
    // Declares no capabilities, because no particular client is connected.
    await child.initialize({ capabilities: {}, info: undefined })
    this.onReady?.(child)
    return child
  }

  /** Restarts without waiting for the next client. */
  #onCrash(sentence: string, restartMs: number): void {
    logCrash(this.#options.reporter)(sentence, restartMs)
    if (this.#closed) return
    clearTimeout(this.#restart)
    this.#restart = setTimeout(() => void this.start().catch(() => {}), restartMs) // logged by `onCrash`
  }

  #events(child: () => McpChild): ChildEvents {
    const { reporter } = this.#options
    return {
      ...outputEvents(reporter),
      onAsk: method => Promise.reject(cannotAsk(reporter, method)),
      onLog: (level, data, logger) => {
        const client = onlyClient(child().calls)
        if (client) client.log(level, data, logger)
        else reporter.log('info', `${level}: ${typeof data === 'string' ? data : JSON.stringify(data)}`)
      },
      onListChanged: list => reporter.announce(list),
      onResourceUpdated: uri => reporter.resourceUpdated(uri),
    }
  }
}

function cannotAsk(reporter: ServerReporter, method: string): RpcError {
  const sentence = `the program sent ${method}, but one process serves all clients, so the client to ask is unknown. Deploy it with --isolation session.`
  reporter.log('warn', sentence)
  return new RpcError(RPC.methodNotFound, sentence)
}

/** Newest call if all calls belong to one client, which then receives the log messages. Otherwise undefined. */
function onlyClient(calls: readonly ClientContext[]): ClientContext | undefined {
  const newest = calls.at(-1)
  if (calls.length <= 1) return newest
  return newest?.session && calls.every(({ session }) => session === newest.session) ? newest : undefined
}
