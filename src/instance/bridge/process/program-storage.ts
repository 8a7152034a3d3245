import { join } from 'node:path'

/** Files that published servers would otherwise write into their read-only packages, by the variable that sets the path. */
const DEFAULT_FILES = { MEMORY_FILE_PATH: 'memory.jsonl' }

/** Variables with the paths where a program can keep files. */
export function storageVariables(data: string): Record<string, string> {
  const files = Object.entries(DEFAULT_FILES).map(([name, file]) => [name, join(data, file)])
  return { DATA_DIR: data, ...Object.fromEntries(files) }
}

/** Replaces references to folders whose paths the user cannot know, such as `${DATA_DIR}`. */
export function fillFolders(
  values: Record<string, string>,
  folders: Readonly<Record<string, string>>,
): Record<string, string> {
  const fill = (value: string) =>
    Object.entries(folders).reduce((text, [name, path]) => text.replaceAll(`\${${name}}`, path), value)
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value)]))
}

const FAILURE = /\bEROFS\b|Read-only file system/

/** Advice for the client of a call that failed because of a read-only folder. */
export function storageAdvice(failure: string): string | undefined {
  if (!FAILURE.test(failure)) return undefined
  return 'mcp-hosting: the folder of this program is read-only. Let it write to $DATA_DIR, which is kept across releases. See docs/state.md.'
}

/** Explains once in the log that most folders are read-only. */
class StorageHint {
  #isLogged = false

  /** `elsewhere`: other writable folders. */
  adviceAfter(text: string, elsewhere: string): string | undefined {
    if (this.#isLogged || !FAILURE.test(text)) return undefined
    this.#isLogged = true
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is the literal text.
    const set = 'If a variable or argument of the program names its file, set it to ${DATA_DIR}/<file>.'
    return `mcp-hosting: the program tried to write to a read-only folder. It can write to DATA_DIR, which is kept across releases, and to ${elsewhere}, which is not. ${set} See docs/state.md.`
  }
}

/** Shared by all programs of this process, because they belong to one server. */
export const storageHint = new StorageHint()
