import type { Announcement, ChangedList } from '../../shared/instances/instance-protocol.ts'
import type { PeerAnnouncer } from '../peers/peer-announcer.ts'
import type { ClientFacts } from '../server/client-context.ts'
import { rpcNotification } from './json-rpc.ts'
import { type SessionTenant, sendOverGetStream } from './legacy/caller-session.ts'
import type { Session } from './legacy/session.ts'

export type ListName = ChangedList

interface NotifyingTenant extends SessionTenant {
  readonly openSessions: Iterable<Session>
  readonly peers: { readonly announcer: PeerAnnouncer | undefined }
}

/** A modern stream that receives change notifications. */
export interface Listener {
  /** Number of the stream in this process. Part of the handle of the stream. */
  readonly number: number
  readonly protocolVersion: string
  readonly client: ClientFacts['info']
  /** Signed-in user. */
  readonly owner: string | undefined
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Lists and resource URIs. */
  readonly subscriptions: readonly string[]
  /** Closes the stream cleanly. */
  finish(): void
  wantsList(list: ListName): boolean
  wantsResource(uri: string): boolean
  send(method: string, params: Record<string, unknown>): void
}

/** Notifies a tenant's clients of changes: modern listeners, and legacy sessions through their GET streams. */
export class ChangeNotifier {
  readonly listeners = new Set<Listener>()
  readonly #tenant: NotifyingTenant

  constructor(tenant: NotifyingTenant) {
    this.#tenant = tenant
  }

  listChanged(list: ListName): void {
    this.#notifyOfList(list)
    this.#tenant.peers.announcer?.changed('lists', list)
  }

  resourceUpdated(uri: string): void {
    this.#notifyOfResource(uri)
    this.#tenant.peers.announcer?.changed('uris', uri)
  }

  /** Forwards another instance's announcement to the clients of this instance. */
  forward({ lists, uris }: Pick<Announcement, 'lists' | 'uris'>): void {
    for (const list of lists) this.#notifyOfList(list)
    for (const uri of uris) this.#notifyOfResource(uri)
  }

  /** Reports the lists that a new build changed. Sessions that stay with this build are not notified. */
  replaced(changed: readonly ListName[], { toSessions }: { toSessions: boolean }): void {
    for (const list of changed)
      if (toSessions) this.listChanged(list)
      else this.#notifyListeners(list)
  }

  #notifyOfList(list: ListName): void {
    const method = this.#notifyListeners(list)
    // Nothing is kept for a session without a stream, because its client reads the list when necessary.
    for (const session of this.#tenant.openSessions)
      if (session.stream) sendOverGetStream(this.#tenant, session, rpcNotification(method, {}))
  }

  #notifyListeners(list: ListName): string {
    const method = `notifications/${list}/list_changed`
    for (const listener of this.listeners) if (listener.wantsList(list)) listener.send(method, {})
    return method
  }

  #notifyOfResource(uri: string): void {
    const method = 'notifications/resources/updated'
    for (const listener of this.listeners) if (listener.wantsResource(uri)) listener.send(method, { uri })
    for (const session of this.#tenant.openSessions)
      if (session.subscriptions?.has(uri))
        sendOverGetStream(this.#tenant, session, rpcNotification(method, { uri }))
  }
}
