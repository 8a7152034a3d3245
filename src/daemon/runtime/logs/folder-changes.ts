import { type FSWatcher, watch } from 'node:fs'

/** Maximum number of watched folders. Others are only checked once a second. */
const MAX_WATCHED = 128

/**
 * Detects changes in folders since the last `forget()`, including ones made while the last page was read. `next()` also resolves
 * on abort, and once a second because inotify misses changes on network file systems and folders may be created later.
 */
export class FolderChanges implements Disposable {
  #changed = Promise.withResolvers<void>()
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #onChange = () => this.#changed.resolve()
  readonly #timer: NodeJS.Timeout

  constructor(signal: AbortSignal) {
    this.#timer = setInterval(this.#onChange, 1000)
    signal.addEventListener('abort', this.#onChange, { once: true })
  }

  /** Replaces the watched folders. Missing ones are omitted. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders.slice(0, MAX_WATCHED))
    for (const [folder, watcher] of this.#watchers) if (!wanted.has(folder)) this.#unwatch(folder, watcher)
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watch(folder)
  }

  forget(): void {
    this.#changed = Promise.withResolvers()
  }

  next(): Promise<void> {
    return this.#changed.promise
  }

  [Symbol.dispose](): void {
    for (const [folder, watcher] of this.#watchers) this.#unwatch(folder, watcher)
    clearInterval(this.#timer)
  }

  #watch(folder: string): void {
    try {
      this.#watchers.set(folder, watch(folder, this.#onChange).on('error', this.#onChange))
    } catch {
      // The folder does not exist yet, or the system's limit on watchers is reached. The timer covers it.
    }
  }

  #unwatch(folder: string, watcher: FSWatcher): void {
    watcher.close()
    this.#watchers.delete(folder)
  }
}
