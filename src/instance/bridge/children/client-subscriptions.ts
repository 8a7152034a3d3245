import type { LogLevel } from '../../../shared/definitions/definitions.ts'
import { isAtLeast } from '../../protocol/log-level.ts'
import type { CallerSession, ClientContext } from '../../server/client-context.ts'
import type { McpChild } from '../mcp-child.ts'
import type { Children } from './children.ts'

interface Subscriptions {
  level: LogLevel | undefined
  uris: Set<string>
}

/** Log levels and subscriptions of all clients. A shared child gets their union. A restarted child gets them again. */
export class ClientSubscriptions {
  readonly #children: Children
  readonly #sessions = new Map<string, Subscriptions>()
  /** Subscriptions of clients without a session. */
  readonly #listeners = new Set<Subscriptions>()

  constructor(children: Children) {
    this.#children = children
    children.onReady = (child, session) => this.#repeat(child, session)
  }

  async subscribe(uri: string, isWanted: boolean, context: ClientContext): Promise<void> {
    const { uris } = this.#subscriptionsOf(context.session!)
    if (isWanted) {
      const method = 'resources/subscribe'
      await this.#children.run(context, child => child.call(method, { uri }, context))
      uris.add(uri)
      return
    }
    uris.delete(uri)
    if (this.#isWanted(uri, context.session)) return
    await this.#children.run(context, child => child.call('resources/unsubscribe', { uri }, context))
  }

  async setLevel(level: LogLevel, context: ClientContext): Promise<void> {
    this.#subscriptionsOf(context.session!).level = level
    const wanted = this.#levelFor(context.session) ?? level
    await this.#children.run(context, child => child.call('logging/setLevel', { level: wanted }, context))
  }

  listen(uris: readonly string[], ended: AbortSignal): void {
    const subscriptions: Subscriptions = { level: undefined, uris: new Set(uris) }
    this.#listeners.add(subscriptions)
    for (const uri of uris) this.#children.common?.request('resources/subscribe', { uri }).catch(ignore)
    ended.addEventListener('abort', () => {
      this.#listeners.delete(subscriptions)
      this.#unsubscribe(subscriptions, this.#children.common)
    })
  }

  #subscriptionsOf(session: CallerSession): Subscriptions {
    const known = this.#sessions.get(session.id)
    if (known) return known
    const subscriptions: Subscriptions = { level: undefined, uris: new Set() }
    this.#sessions.set(session.id, subscriptions)
    session.ended.addEventListener('abort', () => this.#forget(session.id, subscriptions), { once: true })
    return subscriptions
  }

  #servedBy(session: CallerSession | undefined): Subscriptions[] {
    if (this.#children.isShared) return [...this.#sessions.values(), ...this.#listeners]
    if (!session) return [...this.#listeners]
    const own = this.#sessions.get(session.id)
    return own ? [own] : []
  }

  #isWanted(uri: string, session: CallerSession | undefined): boolean {
    return this.#servedBy(session).some(({ uris }) => uris.has(uri))
  }

  /** Least severe level that a client asked for. Each session filters out the messages below its own level. */
  #levelFor(session: CallerSession | undefined): LogLevel | undefined {
    const levels = this.#servedBy(session).flatMap(({ level }) => level ?? [])
    return levels.reduce<LogLevel | undefined>(
      (least, level) => (least && isAtLeast(level, least) ? least : level),
      undefined,
    )
  }

  #repeat(child: McpChild, session: CallerSession | undefined): void {
    const level = this.#levelFor(session)
    if (level) child.request('logging/setLevel', { level }).catch(ignore)
    for (const uri of new Set(this.#servedBy(session).flatMap(({ uris }) => [...uris])))
      child.request('resources/subscribe', { uri }).catch(ignore)
  }

  #forget(id: string, subscriptions: Subscriptions): void {
    this.#sessions.delete(id)
    // A dedicated child stops with the session.
    if (this.#children.isShared) this.#unsubscribe(subscriptions, this.#children.common)
  }

  #unsubscribe({ uris }: Subscriptions, child: McpChild | undefined): void {
    for (const uri of uris)
      if (!this.#isWanted(uri, undefined)) child?.request('resources/unsubscribe', { uri }).catch(ignore)
  }
}

/** Ignores a child's refusal or crash. If the request is still needed after the restart, it is sent again. */
function ignore(): void {}
