import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const UNFINISHED_NAME = /\.[0-9a-f]{12}\.tmp$/
/** Longer than any atomic write takes. */
const UNFINISHED_AFTER_MS = 60_000

/** Leftovers of atomic writes after a crash (atomic-file.ts). */
export function unfinishedFiles(home: string): string[] {
  if (!existsSync(home)) return []
  const limit = Date.now() - UNFINISHED_AFTER_MS
  return readdirSync(home, { recursive: true, encoding: 'utf8' })
    .filter(name => UNFINISHED_NAME.test(name))
    .map(name => join(home, name))
    .filter(file => (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? limit) < limit)
}
