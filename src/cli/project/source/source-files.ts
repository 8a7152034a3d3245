import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { HostingError } from '../../../shared/errors.ts'
import { IgnoreRules } from './ignore-rules.ts'

export interface SourceFile {
  /** Relative to the project, with `/`. */
  path: string
  bytes: number
}

/** Limit of the daemon (docs/custom-servers.md). */
const MAX_FILES = 20_000

/** Sorted files and symbolic links of a source. Throws INVALID_REQUEST for an empty source or too many files. */
export function listSourceFiles(directory: string): SourceFile[] {
  const files: SourceFile[] = []
  addFolder(directory, '', new IgnoreRules(directory), files)
  if (files.length === 0)
    throw new HostingError('INVALID_REQUEST', `${directory} has no files to build from. All are ignored.`, {
      details: 'See .gitignore and .mcpignore.',
    })
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function addFolder(directory: string, folder: string, rules: IgnoreRules, files: SourceFile[]): void {
  for (const entry of readdirSync(join(directory, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (rules.ignores(path, entry.isDirectory())) continue
    if (entry.isDirectory()) addFolder(directory, path, rules, files)
    else if (entry.isFile() || entry.isSymbolicLink())
      files.push({ path, bytes: lstatSync(join(directory, path)).size })
    // Skips sockets and pipes.
    if (files.length > MAX_FILES) throw tooManyFiles(directory)
  }
}

function tooManyFiles(directory: string): HostingError {
  return new HostingError('INVALID_REQUEST', `${directory} has more than ${MAX_FILES} files to upload.`, {
    details: 'Add files that the server does not need to .mcpignore.',
  })
}
