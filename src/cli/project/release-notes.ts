import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { ReleaseGit, ReleaseNotes, ReleaseTest } from '../../shared/contract/deployments/releases.ts'
import type { Project } from './project.ts'

const GIT_TIMEOUT_MS = 2000

export const MESSAGE_OPTION = {
  type: 'string',
  short: 'm',
  value: 'text',
  doc: 'message for the list of releases',
} as const

/** Message, git commit and test result for the list of releases. Undefined when there are none. */
export async function releaseNotes({
  message,
  project,
  test,
}: {
  message: string | undefined
  /** Undefined for an existing build. */
  project?: Project | undefined
  test?: ReleaseTest | undefined
}): Promise<ReleaseNotes | undefined> {
  const git = project?.directory ? await readGit(resolve(project.directory)) : undefined
  const notes = { ...(message !== undefined && { message }), ...(git && { git }), ...(test && { test }) }
  return Object.keys(notes).length > 0 ? notes : undefined
}

/** Undefined outside a git repository, before its first commit, and without git. */
async function readGit(folder: string): Promise<ReleaseGit | undefined> {
  if (!isInRepository(folder)) return undefined
  // Without the lock that `git status` would take to refresh its index.
  const args = ['--no-optional-locks', '-C', folder, 'status', '--porcelain=v2', '--branch', '--', '.']
  try {
    const stdout = await runGit(args)
    const commit = /^# branch\.oid ([0-9a-f]{7,64})$/m.exec(stdout)?.[1]
    return commit === undefined ? undefined : { commit, dirty: /^[^#]/m.test(stdout) }
  } catch {
    return undefined
  }
}

/** `process.getBuiltinModule`, because most commands need no `child_process`. */
function runGit(args: string[]): Promise<string> {
  const { execFile } = process.getBuiltinModule('node:child_process')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  execFile('git', args, { timeout: GIT_TIMEOUT_MS, windowsHide: true }, (error, stdout) =>
    error ? reject(error) : resolve(stdout),
  )
  return promise
}

/** Avoids starting git outside a repository. */
function isInRepository(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true
  const parent = dirname(folder)
  return parent !== folder && isInRepository(parent)
}
