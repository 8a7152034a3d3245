import type { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { type Signal, signal } from '@preact/signals'
import type { ConsoleSession } from '../../../../../shared/contract/access/console-sessions.ts'
import { HostingError } from '../../../../../shared/errors.ts'
import { request } from '../../../../api/client.ts'
import { notLoaded } from '../../../../components/lazy-view.tsx'
import { type Entry, unlistedResource } from '../../../../mcp/catalog.ts'
import type { Params } from '../../../../mcp/messages.ts'
import { webUrl } from '../../../../schema-form/results/main.ts'
import type { Call } from '../call.ts'
import { hintsOf } from '../hints.tsx'
import type { Playground } from '../playground.ts'
import { type AppSource, loadApp } from './app-source.ts'
import { appUri, isForApps } from './app-tool.ts'

/** An app, the origin of its frame, and the code that connects it. */
export interface LoadedApp {
  source: AppSource
  frames: string
  Bridge: typeof AppBridge
}

export type AppState =
  | { status: 'loading' }
  | ({ status: 'shown' } & LoadedApp)
  | { status: 'stopped' }
  | { status: 'failed'; error: Error }

/** A request from the app that waits for the user's decision. */
export type AppQuestion = { answer(isAllowed: boolean): void } & (
  | { kind: 'link'; url: URL }
  | { kind: 'tool'; entry: Entry; args: Params }
)

/** Text from the app for the chat, the model's context or the log. */
export interface AppReport {
  kind: 'message' | 'model context' | 'log'
  content: unknown
}

const MAX_RUNNING = 8
const MAX_REPORTS = 50
/** After this many refusals, the app can no longer ask the user. */
const MAX_REFUSALS = 3
/** Height of an app in pixels. An app can change its height within the limits. */
const HEIGHT = { min: 40, initial: 240, max: 800 }

/** Session of an app that shows a call of its tool. Decides what the app may do. */
export class AppSession {
  readonly state: Signal<AppState> = signal<AppState>({ status: 'loading' })
  readonly height: Signal<number> = signal(HEIGHT.initial)
  readonly question: Signal<AppQuestion | undefined> = signal(undefined)
  readonly reports: Signal<readonly AppReport[]> = signal<readonly AppReport[]>([])
  /** Running calls of the app. */
  readonly calls: Signal<readonly Call[]> = signal<readonly Call[]>([])
  /** The user or the app has asked to stop the app. */
  readonly isEnding: Signal<boolean> = signal(false)
  readonly call: Call
  /** Lets the running app save its state. Resolves when the app has answered, and rejects if it does not answer. */
  prepareStop: () => Promise<unknown> = async () => {}
  readonly #playground: Playground
  readonly #stopped = new AbortController()
  #refusals = 0

  constructor(call: Call, playground: Playground) {
    this.call = call
    this.#playground = playground
  }

  /** Aborts when the app is removed. */
  get stopped(): AbortSignal {
    return this.#stopped.signal
  }

  async load(): Promise<void> {
    const { signal: stopped } = this.#stopped
    try {
      const [source, frames, Bridge] = await Promise.all([
        loadApp(this.#playground.connected.peek()!, appUri(this.call.entry)!, stopped),
        frameOrigin(stopped),
        loadBridge(),
      ])
      if (!stopped.aborted) this.state.value = { status: 'shown', source, frames, Bridge }
    } catch (error) {
      this.stop(error as Error)
    }
  }

  /** Stops the app after giving it time to save its state. */
  async end(): Promise<void> {
    this.isEnding.value = true
    await this.prepareStop().catch(() => {})
    this.stop()
  }

  /** Removes the app and cancels its calls. The view shows the error, if there is one. */
  stop(error?: Error): void {
    if (this.stopped.aborted) return
    this.#stopped.abort()
    this.state.value = error ? { status: 'failed', error } : { status: 'stopped' }
    this.question.peek()?.answer(false)
    for (const call of this.calls.peek()) call.cancel()
  }

  /** Calls a tool. Asks the user first if the tool is destructive. Throws the error for the app. */
  async callTool(name: string, args: Params): Promise<Params> {
    const entry = this.#entries.find(({ kind, id }) => kind === 'tool' && id === name)
    if (!entry || !isForApps(entry)) throw new Error(`The server has no tool "${name}" for apps.`)
    const asks = hintsOf(entry.source).isDestructive
    if (asks && !(await this.#ask({ kind: 'tool', entry, args })))
      throw new Error('The user refused the call.')
    return this.#perform(entry, args)
  }

  /** Reads a resource, even an unlisted one. Throws the error for the app. */
  readResource(uri: string): Promise<Params> {
    const listed = this.#entries.find(({ kind, id }) => kind === 'resource' && id === uri)
    return this.#perform(listed ?? unlistedResource(uri), {})
  }

  /** Requests a list from the server. The request is not shown as a call. */
  list(method: string, params: Params | undefined): Promise<Params> {
    const { connection } = this.#playground.connected.peek()!
    return connection.request({ method, ...(params && { params }), signal: this.stopped })
  }

  /** True if the user opened the page. */
  async openLink(link: string): Promise<boolean> {
    const url = webUrl(link)
    return url !== undefined && (await this.#ask({ kind: 'link', url }))
  }

  report(kind: AppReport['kind'], content: unknown): void {
    this.reports.value = [...this.reports.peek().slice(1 - MAX_REPORTS), { kind, content }]
  }

  resize(height: number | undefined): void {
    if (height === undefined || !Number.isFinite(height)) return
    this.height.value = Math.ceil(Math.min(HEIGHT.max, Math.max(HEIGHT.min, height)))
  }

  get #entries(): readonly Entry[] {
    return this.#playground.connected.peek()?.catalog.entries ?? []
  }

  async #perform(entry: Entry, args: Params): Promise<Params> {
    if (this.calls.peek().length >= MAX_RUNNING)
      throw new Error(`An app can have at most ${MAX_RUNNING} running calls. Wait until one of them ends.`)
    const { call, ended } = this.#playground.runForApp(entry, args, this.call.entry.name)
    this.calls.value = [...this.calls.peek(), call]
    await ended
    this.calls.value = this.calls.peek().filter(one => one !== call)
    const outcome = call.outcome.peek()
    if (outcome.status === 'answered') return outcome.result
    throw outcome.status === 'failed' ? outcome.error : new Error('The call was cancelled.')
  }

  /** Asks the user. Returns false while another question is open, and after too many refusals. */
  async #ask(
    asked: { kind: 'link'; url: URL } | { kind: 'tool'; entry: Entry; args: Params },
  ): Promise<boolean> {
    if (this.stopped.aborted || this.question.peek() || this.#refusals >= MAX_REFUSALS) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.question.value = { ...asked, answer: resolve }
    const isAllowed = await promise
    this.question.value = undefined
    if (!isAllowed) this.#refusals++
    return isAllowed
  }
}

async function frameOrigin(stopped: AbortSignal): Promise<string> {
  const session = await request<ConsoleSession>('GET', '/api/console/session', { signal: stopped })
  if (session.appFrames !== undefined) return session.appFrames
  throw new HostingError('UNAVAILABLE', 'The app cannot be shown. The daemon could not open a port for it.', {
    details: 'Restart the daemon after other programs have closed some of their ports.',
  })
}

async function loadBridge(): Promise<typeof AppBridge> {
  const load = import('./bridge.ts').catch(cause => {
    throw notLoaded('the app', cause)
  })
  return (await load).AppBridge
}
