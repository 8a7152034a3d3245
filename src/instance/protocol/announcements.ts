import type { ServedTenant } from '../served-tenant.ts'
import { sendUnasked } from './caller-session.ts'
import { rpcNotification } from './json-rpc.ts'

export type ListName = 'tools' | 'prompts' | 'resources'

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
    const method = `notifications/${list}/list_changed`
    for (const listener of this.listeners) if (listener.hearsOf(list)) listener.tell(method, {})
    // Who holds no stream reads the list when it needs it; nothing is kept for it.
    for (const session of this.#tenant.openSessions)
      if (session.stream) sendUnasked(this.#tenant, session, rpcNotification(method, {}))
  }

  resourceUpdated(uri: string): void {
    const method = 'notifications/resources/updated'
    for (const listener of this.listeners) if (listener.hearsOfResource(uri)) listener.tell(method, { uri })
    for (const session of this.#tenant.openSessions)
      if (session.subscriptions?.has(uri))
        sendUnasked(this.#tenant, session, rpcNotification(method, { uri }))
  }
}
