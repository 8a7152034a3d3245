import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants

/** Receives the path of a file below the visited folder, and a descriptor that is open until the promise resolves. */
export type Visit = (path: string, descriptor: number) => Promise<void>

/**
 * Visits the regular files of a program's folder. The program may replace a folder with a link to another user's file while the
 * folder is being read, so each step starts at an open descriptor (on Linux). Skips links, including hard links.
 */
export async function visitFiles(folder: string, visit: Visit, below = ''): Promise<void> {
  const descriptor = openWithoutLinks(folder, O_DIRECTORY)
  if (descriptor === undefined) return
  try {
    const here = existsSync('/proc/self/fd') ? `/proc/self/fd/${descriptor}` : folder
    for (const entry of readdirSync(here, { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) await visitFiles(join(here, entry.name), visit, path)
      else if (entry.isFile()) await visitFile(join(here, entry.name), visit, path)
    }
  } finally {
    closeSync(descriptor)
  }
}

async function visitFile(file: string, visit: Visit, path: string): Promise<void> {
  const descriptor = openWithoutLinks(file, O_NONBLOCK)
  if (descriptor === undefined) return
  try {
    const status = fstatSync(descriptor)
    if (status.isFile() && status.nlink === 1) await visit(path, descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Undefined for a link, or when the file is gone. */
function openWithoutLinks(path: string, flags: number): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_NOFOLLOW | flags)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ELOOP' || code === 'ENOTDIR' || code === 'EMLINK') return undefined
    throw error
  }
}
