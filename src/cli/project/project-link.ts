import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'

/** Project of a folder and its subfolders. The id stays valid when the project is renamed. */
export interface ProjectLink {
  projectId: string
  /** Name of the project when the folder was linked, for display. */
  projectName: string
}

/** Folder of the link. Excluded from sources and git, because a link is specific to one machine and API. */
const FOLDER = '.mcp'
const FILE = 'project.json'

/**
 * Link of a folder or of its nearest parent that has one, with the path of the link file. Throws INVALID_REQUEST for a damaged
 * link.
 */
export function findLink(directory: string): (ProjectLink & { file: string }) | undefined {
  const file = join(resolve(directory), FOLDER, FILE)
  if (existsSync(file)) return { ...parseLink(file), file }
  const above = dirname(resolve(directory))
  return above === resolve(directory) ? undefined : findLink(above)
}

/** Links a folder, replacing its link. Returns the path of the link file. */
export function writeLink(directory: string, { projectId, projectName }: ProjectLink): string {
  const folder = join(resolve(directory), FOLDER)
  const file = join(folder, FILE)
  writeFileAtomic(file, `${JSON.stringify({ projectId, projectName }, null, 2)}\n`, 0o644)
  if (!existsSync(join(folder, '.gitignore'))) writeFileAtomic(join(folder, '.gitignore'), '*\n', 0o644)
  return file
}

/** Removes the link file, and its folder when it is empty. */
export function removeLink(file: string): void {
  rmSync(file)
  const folder = dirname(file)
  const ignore = join(folder, '.gitignore')
  if (existsSync(ignore) && readFileSync(ignore, 'utf8') === '*\n') rmSync(ignore)
  try {
    rmdirSync(folder)
  } catch {
    // The folder contains other files.
  }
}

function parseLink(file: string): ProjectLink {
  try {
    const { projectId, projectName } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof projectId === 'string') return { projectId, projectName: String(projectName ?? projectId) }
  } catch {
    // reported below
  }
  throw new HostingError(
    'INVALID_REQUEST',
    `${file} is not a valid project link, expected {"projectId": "prj_…"}.`,
    {
      next: [{ description: 'Link the folder again', command: 'mcp projects link <project>' }],
    },
  )
}
