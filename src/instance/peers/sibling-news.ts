import { type Announcement, MAX_ANNOUNCED } from '../../shared/instance-protocol.ts'

/** News are gathered so long: code may announce in a loop. */
const GATHER_MS = 20

type Gathered = { readonly [Kind in keyof Announcement]: Set<Announcement[Kind][number]> }

/** What an instance has to tell the deployment's other ones, several things at a time. */
export class SiblingNews {
  readonly #tell: (announcement: Announcement) => void
  readonly #gathered: Gathered = { lists: new Set(), uris: new Set(), used: new Set(), ended: new Set() }
  #timer: NodeJS.Timeout | undefined

  constructor(tell: (announcement: Announcement) => void) {
    this.#tell = tell
  }

  /** Changes that the code announces above the limit are dropped. */
  changed<Kind extends 'lists' | 'uris'>(kind: Kind, value: Announcement[Kind][number]): void {
    if (this.#gathered[kind].size < MAX_ANNOUNCED) this.#gather(this.#gathered[kind], value)
  }

  /** None may be lost, so above the limit they go at once. */
  session(kind: 'used' | 'ended', id: string): void {
    this.#gather(this.#gathered[kind], id)
    if (this.#gathered[kind].size >= MAX_ANNOUNCED) this.flush()
  }

  /** What waits goes at once: after this instance's end nobody would send it. */
  flush(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#send()
  }

  #gather<Value>(gathered: Set<Value>, value: Value): void {
    gathered.add(value)
    this.#timer ??= setTimeout(() => this.flush(), GATHER_MS)
  }

  #send(): void {
    const { lists, uris, used, ended } = this.#gathered
    this.#tell({ lists: [...lists], uris: [...uris], used: [...used], ended: [...ended] })
    for (const gathered of Object.values(this.#gathered)) gathered.clear()
  }
}
