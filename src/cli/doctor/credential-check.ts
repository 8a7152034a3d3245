import { existsSync } from 'node:fs'
import { type Check, type Finding, fail, pass } from '../../shared/check.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { readCredentials } from '../api/credentials.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { findOpenFiles } from './open-files.ts'

/** Secrets on disk. */
export const CREDENTIAL_CHECK: Check<CommandContext> = {
  name: 'credentials',
  run: ({ paths }) => checkCredentials(paths),
}

function checkCredentials(paths: HomePaths): Finding[] {
  const open = findOpenFiles(paths).map(({ path }) => path)
  if (open.length > 0)
    return [
      fail(
        `other users on this machine can read ${open.join(' and ')}`,
        'Remove their permission',
        `chmod go= ${open.map(quoteShellWord).join(' ')}`,
      ),
    ]
  if (!existsSync(paths.credentials)) return [pass('no keys saved yet')]
  try {
    const names = Object.keys(readCredentials(paths.credentials).contexts)
    return [pass(`keys for ${names.join(', ') || 'no context'}, readable only by you`)]
  } catch (error) {
    return [fail((error as Error).message, 'Correct the file, or remove it and sign in again', 'mcp login')]
  }
}
