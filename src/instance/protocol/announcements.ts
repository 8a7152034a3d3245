import type { Announcement, ChangedList } from '../../shared/instance-protocol.ts'
import type { ServedTenant } from '../served-tenant.ts'
import { sendUnasked } from './caller-session.ts'
import { rpcNotification } from './json-rpc.ts'

export type ListName = ChangedList

/** A stream of the modern era that hears of changes. */
export interface Listener {
  hearsOf(list: ListName): boolean
  hearsOfResource(uri: string): boolean
  tell(method: string, params: Record<string, unknown>): void
}

/** Tells the clients of a tenant what changed: those that listen, and sessions of the legacy era by their GET streams. */
export class Announcements {
  readonly listeners = new Set<Listener>()
  readonly #tenant: ServedTenant

  constructor(tenant: ServedTenant) {
    this.#tenant = tenant
  }

  listChanged(list: ListName): void {
    this.#tellOfList(list)
    this.#tenant.siblings.news?.changed('lists', list)
  }

  resourceUpdated(uri: string): void {
    this.#tellOfResource(uri)
    this.#tenant.siblings.news?.changed('uris', uri)
  }

  /** What another instance announced. */
  hear({ lists, uris }: Pick<Announcement, 'lists' | 'uris'>): void {
    for (const list of lists) this.#tellOfList(list)
    for (const uri of uris) this.#tellOfResource(uri)
  }

  /** Another build has the address. Sessions that stay with this one do not hear of it. */
  replaced(changed: readonly ListName[], { toSessions }: { toSessions: boolean }): void {
    for (const list of changed)
      if (toSessions) this.listChanged(list)
      else this.#tellListeners(list)
  }

  #tellOfList(list: ListName): void {
    const method = this.#tellListeners(list)
    // Who holds no stream reads the list when it needs it; nothing is kept for it.
    for (const session of this.#tenant.openSessions)
      if (session.stream) sendUnasked(this.#tenant, session, rpcNotification(method, {}))
  }

  #tellListeners(list: ListName): string {
    const method = `notifications/${list}/list_changed`
    for (const listener of this.listeners) if (listener.hearsOf(list)) listener.tell(method, {})
    return method
  }

  #tellOfResource(uri: string): void {
    const method = 'notifications/resources/updated'
    for (const listener of this.listeners) if (listener.hearsOfResource(uri)) listener.tell(method, { uri })
    for (const session of this.#tenant.openSessions)
      if (session.subscriptions?.has(uri))
        sendUnasked(this.#tenant, session, rpcNotification(method, { uri }))
  }
}
