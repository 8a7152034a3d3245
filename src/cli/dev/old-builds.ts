import type { ApiClient } from '../api-client.ts'

/** Builds of one session that newer ones replaced: they go, so that an afternoon does not leave a thousand. */
export class OldBuilds {
  readonly #api: ApiClient
  /** Newest last. */
  #kept: string[] = []
  #removing: Promise<unknown> = Promise.resolve()

  constructor(api: ApiClient) {
    this.#api = api
  }

  /** The one before stays until the next, because clients may be leaving it. */
  add(mcpId: string): void {
    this.#kept.push(mcpId)
    this.#remove(this.#kept.splice(0, Math.max(0, this.#kept.length - 2)))
  }

  /** One that came to nothing. */
  discard(mcpId: string): void {
    this.#remove([mcpId])
  }

  /** All but the newest, which is what the preview serves. */
  async removeAll(): Promise<void> {
    this.#remove(this.#kept.splice(0, Math.max(0, this.#kept.length - 1)))
    await this.#removing
  }

  #remove(ids: string[]): void {
    const removals = ids.map(id => this.#api.delete(`/v1/build/${encodeURIComponent(id)}`))
    // One that somebody deployed stays, and an API that removes no builds keeps them.
    this.#removing = Promise.allSettled([this.#removing, ...removals])
  }
}
