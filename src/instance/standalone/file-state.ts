import { appendFile, existsSync, fdatasync, openSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { MemoryBackend, type StoredEntry } from '../../sdk/store/memory-backend.ts'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { StateOperation, StateResult } from '../../shared/instances/state-operations.ts'

/**
 * The store of an exported server: in memory, and in a file with one line of changes per commit. The first commit after a start
 * rewrites the file. Only one process may use the file.
 */
export class FileState {
  readonly #path: string
  readonly #memory = new MemoryBackend({ onCommit: changes => this.#append(changes) })
  #descriptor: number | undefined
  #lastWrite: Promise<void> = Promise.resolve()

  /** Throws when the file cannot be read. */
  constructor(path: string) {
    this.#path = path
    if (existsSync(path)) for (const changes of readCommits(path)) this.#memory.restore(changes)
  }

  /** Reports a disk failure as the result. */
  async run(operations: readonly StateOperation[]): Promise<StateResult[]> {
    return Promise.all(operations.map(operation => this.#memory.run(operation).catch(toResult)))
  }

  /** Appends the changes in the order of the commits. */
  #append(changes: StoredEntry[]): Promise<void> {
    const write = () => this.#write(`${JSON.stringify(changes)}\n`)
    this.#lastWrite = this.#lastWrite.then(write, write)
    return this.#lastWrite
  }

  async #write(line: string): Promise<void> {
    this.#descriptor ??= this.#open()
    await append(this.#descriptor, line)
    await flush(this.#descriptor)
  }

  /** Rewrites the file without overwritten and expired entries and without an unfinished last line. */
  #open(): number {
    writeFileAtomic(this.#path, [...this.#memory.all()].map(entry => `${JSON.stringify([entry])}\n`).join(''))
    return openSync(this.#path, 'a', 0o600)
  }
}

const append = promisify(appendFile)
const flush = promisify(fdatasync)

/** Commits in a file. A crash may leave an unfinished last line, which was never acknowledged. */
function readCommits(path: string): StoredEntry[][] {
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.slice(0, -1).map(line => JSON.parse(line))
}

function toResult(error: Error): StateResult {
  return { error: { code: 'UNAVAILABLE', message: `The store cannot be written: ${error.message}` } }
}
