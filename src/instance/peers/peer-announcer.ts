import { type Announcement, MAX_ANNOUNCED } from '../../shared/instances/instance-protocol.ts'

/** Batching delay, because code may announce in a loop. */
const GATHER_MS = 20

type PendingAnnouncement = { readonly [Kind in keyof Announcement]: Set<Announcement[Kind][number]> }

/** Batches announcements to the deployment's other instances. */
export class PeerAnnouncer {
  readonly #send: (announcement: Announcement) => void
  readonly #gathered: PendingAnnouncement = {
    lists: new Set(),
    uris: new Set(),
    used: new Set(),
    ended: new Set(),
  }
  #timer: NodeJS.Timeout | undefined

  constructor(send: (announcement: Announcement) => void) {
    this.#send = send
  }

  /** Drops changes beyond the limit. */
  changed<Kind extends 'lists' | 'uris'>(kind: Kind, value: Announcement[Kind][number]): void {
    if (this.#gathered[kind].size < MAX_ANNOUNCED) this.#gather(this.#gathered[kind], value)
  }

  /** Sends immediately at the limit, because entries must not be lost. */
  session(kind: 'used' | 'ended', id: string): void {
    this.#gather(this.#gathered[kind], id)
    if (this.#gathered[kind].size >= MAX_ANNOUNCED) this.flush()
  }

  /** Sends immediately. Must be called before the instance stops. */
  flush(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sendGathered()
  }

  #gather<Value>(gathered: Set<Value>, value: Value): void {
    gathered.add(value)
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS)
  }

  #sendGathered(): void {
    const { lists, uris, used, ended } = this.#gathered
    this.#send({ lists: [...lists], uris: [...uris], used: [...used], ended: [...ended] })
    for (const gathered of Object.values(this.#gathered)) gathered.clear()
  }
}
