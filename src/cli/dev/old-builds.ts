import type { ApiClient } from '../api/client.ts'

/** Removes replaced builds of one session, so that they do not pile up. */
export class OldBuilds {
  readonly #openApi: () => Promise<ApiClient>
  /** Newest last. */
  #kept: string[] = []
  #removing: Promise<unknown> = Promise.resolve()

  constructor(openApi: () => Promise<ApiClient>) {
    this.#openApi = openApi
  }

  /** Keeps the previous build until the next one, because clients may still use it. */
  add(mcpId: string): void {
    this.#kept.push(mcpId)
    this.#remove(this.#kept.splice(0, Math.max(0, this.#kept.length - 2)))
  }

  /** Removes a failed build. */
  discard(mcpId: string): void {
    this.#remove([mcpId])
  }

  /** Removes all but the newest build, which the preview serves. */
  async removeAll(): Promise<void> {
    this.#remove(this.#kept.splice(0, Math.max(0, this.#kept.length - 1)))
    await this.#removing
  }

  #remove(ids: string[]): void {
    const removals = ids.map(async id =>
      (await this.#openApi()).delete(`/v1/build/${encodeURIComponent(id)}`),
    )
    // Removal fails for a deployed build, and in an API that cannot remove builds.
    this.#removing = Promise.allSettled([this.#removing, ...removals])
  }
}
