import { canonicalAddress } from '../shared/network/special-addresses.ts'
import { LimitError } from './failure.ts'
import type { Resolver } from './resolve.ts'

/** Of one process at a time: the threads that resolve names are shared by all. */
const MAX_RUNNING = 4
const MAX_WAITING = 256
/** Addresses whose names are remembered, the newest of them. */
const MAX_REMEMBERED = 1000

/** Look-ups of one process, and which names its addresses came from. */
export class LookUps {
  readonly #resolver: Resolver
  readonly #names = new Map<string, Set<string>>()
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(resolver: Resolver) {
    this.#resolver = resolver
  }

  async addresses(name: string): Promise<string[]> {
    const found = await this.#inTurn(() => this.#resolver.lookup(name))
    for (const address of found) this.#remember(address, name)
    return found
  }

  records(name: string, type: string): Promise<unknown> {
    return this.#inTurn(() => this.#resolver.resolve(name, type))
  }

  /** Names that led here: many clients resolve a name themselves and then connect to its address. */
  namesOf(address: string): string[] {
    return [...(this.#names.get(address) ?? [])]
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new LimitError(`More than ${MAX_WAITING} names are waiting to be resolved.`)
    if (this.#running >= MAX_RUNNING) await new Promise<void>(resolve => this.#waiting.push(resolve))
    this.#running++
    try {
      return await run()
    } finally {
      this.#running--
      this.#waiting.shift()?.()
    }
  }

  #remember(address: string, name: string): void {
    const canonical = canonicalAddress(address) ?? address
    const names = this.#names.get(canonical) ?? new Set()
    this.#names.delete(canonical)
    this.#names.set(canonical, names.add(name))
    if (this.#names.size > MAX_REMEMBERED) this.#names.delete(this.#names.keys().next().value!)
  }
}
