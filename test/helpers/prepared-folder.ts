import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from '../../src/cli/sign-in/lock-file.ts'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/mcp-hosting', import.meta.url))

/**
 * Folder that `make` fills. `make` takes seconds of processor time, so it runs again only when the key changes. Nothing may write
 * to the folder afterwards.
 */
export async function preparedFolder(
  name: string,
  key: string,
  make: (directory: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(CACHE, name)
  const path = join(folder, createHash('sha256').update(key).digest('hex'))
  if (existsSync(path)) return path
  await withLock(`${folder}.lock`, new AbortController().signal, async () => {
    // Another worker may have been faster.
    if (existsSync(path)) return
    mkdirSync(folder, { recursive: true })
    const work = mkdtempSync(`${path}-`)
    await make(work)
    const outdated = readdirSync(folder).filter(entry => join(folder, entry) !== work)
    for (const entry of outdated) removeUnlessBusy(join(folder, entry))
    renameSync(work, path)
  })
  return path
}

/** Removes a folder unless it is busy. A leftover folder only takes up space. */
function removeUnlessBusy(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    // A killed podman leaves its store mounted, so the folder is busy.
  }
}
