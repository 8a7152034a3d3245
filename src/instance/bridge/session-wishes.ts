import type { LogLevel } from '../../shared/definitions.ts'
import type { CallerSession, ClientContext } from '../prepared-server.ts'
import { isAtLeast } from '../protocol/log-level.ts'
import type { Children } from './children.ts'
import type { McpChild } from './mcp-child.ts'

interface Wishes {
  level: LogLevel | undefined
  uris: Set<string>
}

/**
 * What sessions asked to be told: levels and subscriptions. A child of all is asked for the sum of them, and every child is
 * asked anew after it was restarted.
 */
export class SessionWishes {
  readonly #children: Children
  readonly #sessions = new Map<string, Wishes>()
  /** Of clients without a session. */
  readonly #listeners = new Set<Wishes>()

  constructor(children: Children) {
    this.#children = children
    children.onReady = (child, session) => this.#repeat(child, session)
  }

  async subscribe(uri: string, isWanted: boolean, context: ClientContext): Promise<void> {
    const { uris } = this.#of(context.session!)
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
    this.#of(context.session!).level = level
    const wanted = this.#levelFor(context.session) ?? level
    await this.#children.run(context, child => child.call('logging/setLevel', { level: wanted }, context))
  }

  listen(uris: readonly string[], ended: AbortSignal): void {
    const wishes: Wishes = { level: undefined, uris: new Set(uris) }
    this.#listeners.add(wishes)
    for (const uri of uris) this.#children.common?.request('resources/subscribe', { uri }).catch(ignore)
    ended.addEventListener('abort', () => {
      this.#listeners.delete(wishes)
      this.#giveUp(wishes, this.#children.common)
    })
  }

  #of(session: CallerSession): Wishes {
    const known = this.#sessions.get(session.id)
    if (known) return known
    const wishes: Wishes = { level: undefined, uris: new Set() }
    this.#sessions.set(session.id, wishes)
    session.ended.addEventListener('abort', () => this.#forget(session.id, wishes), { once: true })
    return wishes
  }

  /** Those that the child of this session serves. */
  #served(session: CallerSession | undefined): Wishes[] {
    if (this.#children.isShared) return [...this.#sessions.values(), ...this.#listeners]
    if (!session) return [...this.#listeners]
    const own = this.#sessions.get(session.id)
    return own ? [own] : []
  }

  #isWanted(uri: string, session: CallerSession | undefined): boolean {
    return this.#served(session).some(({ uris }) => uris.has(uri))
  }

  /** The least severe of all, so that everyone gets what they asked for; each session's own filter does the rest. */
  #levelFor(session: CallerSession | undefined): LogLevel | undefined {
    const levels = this.#served(session).flatMap(({ level }) => level ?? [])
    return levels.reduce<LogLevel | undefined>(
      (least, level) => (least && isAtLeast(level, least) ? least : level),
      undefined,
    )
  }

  #repeat(child: McpChild, session: CallerSession | undefined): void {
    const level = this.#levelFor(session)
    if (level) child.request('logging/setLevel', { level }).catch(ignore)
    for (const uri of new Set(this.#served(session).flatMap(({ uris }) => [...uris])))
      child.request('resources/subscribe', { uri }).catch(ignore)
  }

  #forget(id: string, wishes: Wishes): void {
    this.#sessions.delete(id)
    // A child of its own ends with the session.
    if (this.#children.isShared) this.#giveUp(wishes, this.#children.common)
  }

  #giveUp({ uris }: Wishes, child: McpChild | undefined): void {
    for (const uri of uris)
      if (!this.#isWanted(uri, undefined)) child?.request('resources/unsubscribe', { uri }).catch(ignore)
  }
}

/** A child that refuses, or ends first, will be asked again or is no longer wanted. */
function ignore(): void {}
