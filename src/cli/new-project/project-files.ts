import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { SERVER_NAME } from '../../shared/names.ts'
import { packageRoot } from '../local-daemon/package-root.ts'

/** An unwritten file of a new project. `path` is relative to the project. */
export interface NewFile {
  path: string
  content: string
}

export interface NewProject {
  files: NewFile[]
  /** One line per warning. */
  warnings: string[]
}

export const CONFIG = 'mcp.config.json'
export const SCHEMA = 'mcp.config.schema.json'
const README = 'README.md'
const GITIGNORE = '.gitignore'

/** Keeps variables and the project's link out of git. */
export const GITIGNORE_FILE: NewFile = { path: GITIGNORE, content: '.env\n.env.*\n.mcp/\n' }

/** Copied into the project, so that editors find `$schema` wherever the package is installed. */
export function schemaFile(): NewFile {
  const content = readFileSync(join(packageRoot(), 'schema', CONFIG), 'utf8')
  return { path: SCHEMA, content: `${JSON.stringify(JSON.parse(content))}\n` }
}

/** Paths of all files below the folder, relative to it. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted()
}

/** The given name of the server, or the folder's name. Throws INVALID_REQUEST. */
export function serverNameFor(directory: string, given: string | undefined): string {
  const name =
    given ??
    basename(resolve(directory))
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 63)
  if (SERVER_NAME.test(name)) return name
  throw new HostingError(
    'INVALID_REQUEST',
    `"${name}" is not a valid server name. Use 1 to 63 letters, digits, "-", "_" or ".".${given ? '' : ' Set one with --name.'}`,
  )
}

export interface WrittenFiles {
  written: string[]
  /** Existing files that were left unchanged. */
  kept: string[]
}

/**
 * Writes the files. Keeps an existing README.md and extends an existing .gitignore, because a new repository often has both.
 * Throws CONFLICT listing other existing files. With `force`, overwrites all existing files.
 */
export function writeProject(directory: string, files: readonly NewFile[], force: boolean): WrittenFiles {
  const exists = ({ path }: NewFile) => existsSync(join(directory, path))
  const existing = force ? [] : files.filter(exists)
  const conflicts = existing.filter(({ path }) => path !== README && path !== GITIGNORE)
  if (conflicts.length > 0) throw alreadyContains(directory, conflicts)
  const kept = existing.filter(({ path }) => path === README)
  const written = files.filter(file => !kept.includes(file))
  for (const file of written)
    writeFile(directory, existing.includes(file) ? extendFile(directory, file) : file)
  return { written: written.map(({ path }) => path), kept: kept.map(({ path }) => path) }
}

function alreadyContains(directory: string, files: readonly NewFile[]): HostingError {
  const names = files.map(({ path }) => path).join(', ')
  return new HostingError('CONFLICT', `${directory} already contains ${names}. Nothing was written.`, {
    next: [{ description: 'Choose another folder, or overwrite the files with --force' }],
  })
}

/** The existing file, extended by the lines that it lacks. */
function extendFile(directory: string, { path, content }: NewFile): NewFile {
  const before = readFileSync(join(directory, path), 'utf8')
  const lines = before.split(/\r?\n/)
  const missing = content.split('\n').filter(line => line !== '' && !lines.includes(line))
  if (missing.length === 0) return { path, content: before }
  const separator = before === '' || before.endsWith('\n') ? '' : '\n'
  return { path, content: `${before}${separator}${missing.join('\n')}\n` }
}

function writeFile(directory: string, { path, content }: NewFile): void {
  const file = join(directory, path)
  mkdirSync(dirname(file), { recursive: true }) // with the user's umask
  writeFileAtomic(file, content, 0o644)
}
