import { existsSync } from 'node:fs'
import { type Check, type Finding, fail, pass } from '../../shared/check.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { readCredentials } from '../api/credentials.ts'
import type { CommandContext } from '../command-line/command-context.ts'

/** Saved keys of APIs. */
export const CREDENTIAL_CHECK: Check<CommandContext> = {
  name: 'credentials',
  run: ({ paths }) => checkCredentials(paths),
}

function checkCredentials(paths: HomePaths): Finding[] {
  if (!existsSync(paths.credentials)) return [pass('no keys saved yet')]
  try {
    const names = Object.keys(readCredentials(paths.credentials).contexts)
    return [pass(names.length > 0 ? `keys for ${names.join(', ')}` : 'no keys saved yet')]
  } catch (error) {
    return [fail((error as Error).message, 'Correct the file, or remove it and sign in again', 'mcp login')]
  }
}
