import { join } from 'node:path'

/** Files of published servers that would otherwise be written into their package, which is read-only. */
const DEFAULT_FILES = { MEMORY_FILE_PATH: 'memory.jsonl' }

/** Variables that tell a program where it can keep files. */
export function storageVariables(data: string): Record<string, string> {
  const files = Object.entries(DEFAULT_FILES).map(([name, file]) => [name, join(data, file)])
  return { DATA_DIR: data, ...Object.fromEntries(files) }
}

const FAILURE = /\bEROFS\b|Read-only file system/

/** Explains once that most folders are read-only. */
class StorageHint {
  #isSaid = false

  after(text: string): string | undefined {
    if (this.#isSaid || !FAILURE.test(text)) return undefined
    this.#isSaid = true
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the literal text.
    return 'mcp-hosting: the program tried to write to a read-only folder. It can write to DATA_DIR, which is kept across releases, to HOME and to TMPDIR. If a variable or argument of the program names its file, set it to ${DATA_DIR}/<file>. See docs/state.md.'
  }
}

/** This process runs one instance. */
export const storageHint = new StorageHint()
