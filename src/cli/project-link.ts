import { existsSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '../shared/atomic-file.ts'
import { HostingError } from '../shared/errors.ts'

/** Which project a folder and those below it belong to. It knows the id, so it outlives a change of the name. */
export interface ProjectLink {
  projectId: string
  /** When it was linked; for people. */
  projectName: string
}

/** Of one machine and one API: it is never part of a source, and git is told to ignore it. */
const FOLDER = '.mcp'
const FILE = 'project.json'

/** The link of a folder or the nearest one above it, and the file it is written in. Throws INVALID_REQUEST for a damaged one. */
export function findLink(directory: string): (ProjectLink & { file: string }) | undefined {
  const file = join(resolve(directory), FOLDER, FILE)
  if (existsSync(file)) return { ...parseLink(file), file }
  const above = dirname(resolve(directory))
  return above === resolve(directory) ? undefined : findLink(above)
}

/** Links a folder; a link that it had is replaced. Gives the file. */
export function writeLink(directory: string, { projectId, projectName }: ProjectLink): string {
  const folder = join(resolve(directory), FOLDER)
  const file = join(folder, FILE)
  writeFileAtomic(file, `${JSON.stringify({ projectId, projectName }, null, 2)}\n`, 0o644)
  if (!existsSync(join(folder, '.gitignore'))) writeFileAtomic(join(folder, '.gitignore'), '*\n', 0o644)
  return file
}

/** Removes the link file, and its folder when nothing else lies there. */
export function removeLink(file: string): void {
  rmSync(file)
  const folder = dirname(file)
  const ignore = join(folder, '.gitignore')
  if (existsSync(ignore) && readFileSync(ignore, 'utf8') === '*\n') rmSync(ignore)
  try {
    rmdirSync(folder)
  } catch {
    // Something of the user's lies there.
  }
}

function parseLink(file: string): ProjectLink {
  try {
    const { projectId, projectName } = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof projectId === 'string') return { projectId, projectName: String(projectName ?? projectId) }
  } catch {
    // the same fault
  }
  throw new HostingError(
    'INVALID_REQUEST',
    `${file} is no link to a project: it must hold {"projectId": "prj_…"}.`,
    {
      next: [{ description: 'Link the folder anew', command: 'mcp projects link <project>' }],
    },
  )
}
