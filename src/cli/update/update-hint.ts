import { spawn } from 'node:child_process'
import type { HomePaths } from '../../shared/paths.ts'
import { VERSION } from '../../shared/version.ts'
import type { Output } from '../output/output.ts'
import { readKnownVersion, saveKnownVersion } from './latest-version.ts'

const DAY_MS = 24 * 60 * 60_000
/** Command that a separate process runs. */
const CHECK_COMMAND = '__check-version'

/**
 * Mentions a newer version at most once a day. The check runs in a separate process, so the command never waits for the network.
 */
export function showUpdateHint(paths: HomePaths, output: Pick<Output, 'note'>, now = Date.now()): void {
  try {
    tryHint(paths, output, now)
  } catch {
    // A home that is read-only or full must not fail the command.
  }
}

function tryHint(paths: HomePaths, output: Pick<Output, 'note'>, now: number): void {
  const known = readKnownVersion(paths)
  if (known?.latest && isNewer(known.latest, VERSION) && isOld(known.shownAt, now)) {
    output.note(
      `\nmcp ${known.latest} is available (installed: ${VERSION}). To update: npm install -g mcp-hosting`,
    )
    saveKnownVersion(paths, { ...known, shownAt: new Date(now).toISOString() })
  }
  if (isOld(known?.checkedAt, now)) startCheck()
}

function startCheck(): void {
  const child = spawn(process.execPath, [process.argv[1]!, CHECK_COMMAND], {
    detached: true,
    stdio: 'ignore',
    cwd: '/',
  })
  child.on('error', () => {}) // no check without a process
  child.unref()
}

function isOld(timestamp: string | undefined, now: number): boolean {
  return timestamp === undefined || !(now - Date.parse(timestamp) < DAY_MS)
}

/** Compares releases. A version with a suffix, such as a source build, is never offered and never outdated. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map(text => /^(\d+)\.(\d+)\.(\d+)$/.exec(text)?.slice(1).map(Number))
  if (!a || !b) return false
  const at = a.findIndex((part, index) => part !== b[index])
  return at >= 0 && a[at]! > b[at]!
}
