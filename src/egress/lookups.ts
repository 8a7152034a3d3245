import { canonicalAddress } from '../shared/network/special-addresses.ts'
import { LimitError } from './failure.ts'
import type { Resolver } from './resolve.ts'

/** Maximum number of concurrent lookups per process, because all processes share the resolver threads. */
const MAX_RUNNING = 4
const MAX_WAITING = 256
/** Maximum number of addresses whose names are remembered. */
const MAX_REMEMBERED = 1000
/** Maximum number of names per address. User code can invent names that all resolve to one address. */
const MAX_NAMES = 50

/** Name lookups of one process. Remembers which names resolved to which address. */
export class Lookups {
  readonly #resolver: Resolver
  readonly #names = new Map<string, Set<string>>()
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(resolver: Resolver) {
    this.#resolver = resolver
  }

  async addresses(name: string): Promise<string[]> {
    const found = await this.#limitConcurrency(() => this.#resolver.lookup(name))
    for (const address of found) this.#remember(address, name)
    return found
  }

  records(name: string, type: string): Promise<unknown> {
    return this.#limitConcurrency(() => this.#resolver.resolve(name, type))
  }

  /** Names that resolved to the address. Many clients resolve a name and then connect to the address. */
  namesOf(address: string): string[] {
    return [...(this.#names.get(address) ?? [])]
  }

  async #limitConcurrency<T>(run: () => Promise<T>): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING)
      throw new LimitError(`${MAX_WAITING} name lookups of the process are already waiting. Try again later.`)
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
    names.delete(name)
    this.#names.set(canonical, names.add(name))
    if (names.size > MAX_NAMES) names.delete(names.values().next().value!)
    if (this.#names.size > MAX_REMEMBERED) this.#names.delete(this.#names.keys().next().value!)
  }
}
