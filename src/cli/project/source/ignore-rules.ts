import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import createIgnore, { type Ignore } from 'ignore'

/** Files with rules. Later files override earlier ones. */
export const IGNORE_FILES = ['.gitignore', '.mcpignore'] as const

/** Always excluded from a source: history, installed and generated files, secrets. */
const ALWAYS_IGNORED = [
  '.git',
  '.mcp',
  '.hg',
  '.svn',
  'node_modules',
  '.venv',
  '__pycache__',
  '.DS_Store',
  'Thumbs.db',
]
const SECRETS = /^\.env(\..+)?$/
const NO_SECRETS = /^\.env\.(example|sample|template)$/

/** Decides which files are excluded from a source archive, by git's rules, including nested ignore files. */
export class IgnoreRules {
  readonly #directory: string
  /** Rules by folder. */
  readonly #rules = new Map<string, Ignore | undefined>()

  /** `directory`: folder of the project. */
  constructor(directory: string) {
    this.#directory = directory
  }

  /**
   * `path`: relative to the project, with `/`, without `./`. Only considers the entry itself, because callers skip ignored
   * folders, as git does.
   */
  ignores(path: string, isFolder: boolean): boolean {
    const name = posix.basename(path)
    if (ALWAYS_IGNORED.includes(name) || (SECRETS.test(name) && !NO_SECRETS.test(name))) return true
    for (let folder = parentOf(path); ; folder = parentOf(folder)) {
      const relative = folder === '' ? path : path.slice(folder.length + 1)
      const verdict = this.#rulesOf(folder)?.test(isFolder ? `${relative}/` : relative)
      if (verdict?.ignored) return true
      if (verdict?.unignored || folder === '') return false
    }
  }

  /** True when the path or a folder above it is ignored. Watchers report such paths. */
  ignoresAny(path: string): boolean {
    const names = path.split('/')
    const folders = names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'))
    return folders.some(folder => this.ignores(folder, true)) || this.ignores(path, false)
  }

  #rulesOf(folder: string): Ignore | undefined {
    if (!this.#rules.has(folder)) this.#rules.set(folder, this.#readRules(folder))
    return this.#rules.get(folder)
  }

  #readRules(folder: string): Ignore | undefined {
    const texts = IGNORE_FILES.map(name => readIfThere(join(this.#directory, folder, name)))
    if (texts.every(text => text === undefined)) return undefined
    return texts.reduce((rules, text) => (text === undefined ? rules : rules.add(text)), createIgnore())
  }
}

function parentOf(path: string): string {
  const parent = posix.dirname(path)
  return parent === '.' ? '' : parent
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined // missing or unreadable
  }
}
