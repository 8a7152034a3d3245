import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import { IGNORE_FILES, IgnoreRules } from '../project/source/ignore-rules.ts'

/** Editors write a file in several steps, so a change is reported after this time without further changes. */
const QUIET_MS = 5
/** Maximum delay between the first change and its report. */
const MAX_DELAY_MS = 150

/** macOS and Windows watch a tree as cheaply as a folder. Elsewhere Node would watch every file. */
const WATCHES_TREES = process.platform === 'darwin' || process.platform === 'win32'

export interface Change {
  /** Time of the first change (`performance.now()`). */
  since: number
  /** Changed files, relative to the project. Empty when the system does not report file names. */
  files: string[]
}

/** Watches the files of a project's source, including new folders. */
export class FolderWatcher {
  readonly #directory: string
  readonly #onChange: (change: Change) => void
  /** Watchers by folder, relative to the project, which is `''`. */
  readonly #watchers = new Map<string, FSWatcher>()
  #rules: IgnoreRules
  #firstAt = 0
  /** Changed since the last report. */
  readonly #files = new Set<string>()
  #timer: NodeJS.Timeout | undefined

  /** Throws UNAVAILABLE when a system limit is reached. */
  constructor(directory: string, onChange: (change: Change) => void) {
    this.#directory = directory
    this.#onChange = onChange
    this.#rules = new IgnoreRules(directory)
    this.#watch('')
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const watcher of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder)) return
    const options = { recursive: WATCHES_TREES }
    const watcher = this.#open(folder, options)
    if (!watcher) return
    // The folder was removed or moved.
    watcher.on('error', () => this.#unwatch(folder))
    this.#watchers.set(folder, watcher)
    if (!WATCHES_TREES) for (const inner of this.#foldersIn(folder)) this.#watch(inner)
  }

  #open(folder: string, options: { recursive: boolean }): FSWatcher | undefined {
    try {
      return watch(join(this.#directory, folder), options, (_, name) => this.#onEvent(folder, name))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
      throw tooManyWatches(this.#directory, error)
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #foldersIn(folder: string): string[] {
    try {
      return readdirSync(join(this.#directory, folder), { withFileTypes: true })
        .filter(entry => entry.isDirectory())
        .map(entry => pathIn(folder, entry.name))
        .filter(path => !this.#rules.ignores(path, true))
    } catch {
      return [] // removed in the meantime
    }
  }

  #onEvent(folder: string, name: string | null): void {
    if (name === null) return this.#scheduleReport()
    const path = pathIn(folder, name.replaceAll('\\', '/'))
    if ((IGNORE_FILES as readonly string[]).includes(basename(path)))
      this.#rules = new IgnoreRules(this.#directory)
    if (this.#rules.ignoresAny(path)) return
    if (!WATCHES_TREES) this.#follow(path)
    this.#files.add(path)
    this.#scheduleReport()
  }

  /** Starts watching a new folder and stops watching a removed one. */
  #follow(path: string): void {
    const status = statSync(join(this.#directory, path), { throwIfNoEntry: false })
    if (!status) this.#unwatch(path)
    else if (status.isDirectory() && !this.#rules.ignores(path, true)) this.#watch(path)
  }

  #scheduleReport(): void {
    const now = performance.now()
    if (!this.#timer) this.#firstAt = now
    clearTimeout(this.#timer)
    const waitMs = Math.max(0, Math.min(QUIET_MS, this.#firstAt + MAX_DELAY_MS - now))
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const files = [...this.#files]
      this.#files.clear()
      this.#onChange({ since: this.#firstAt, files })
    }, waitMs)
  }
}

function pathIn(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`
}

function tooManyWatches(directory: string, cause: unknown): HostingError {
  const { code } = cause as NodeJS.ErrnoException
  return new HostingError('UNAVAILABLE', `Could not watch ${directory} (${code}).`, {
    details:
      'Add files that the server does not need to .mcpignore, or raise the limit (fs.inotify.max_user_watches).',
    cause,
  })
}
