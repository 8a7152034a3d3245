import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/mcp-hosting', import.meta.url))
const PACKER = fileURLToPath(new URL('../../../src/daemon/builder/image', import.meta.url))

/**
 * Copies an image layout into a directory. `make` fills a directory with the layout, which takes seconds of processor time, so it
 * only runs again when its code or the key changes.
 */
export async function copyPrepared(
  name: string,
  key: string,
  directory: string,
  make: (directory: string) => Promise<unknown>,
): Promise<void> {
  const code = readdirSync(PACKER).map(file => readFileSync(join(PACKER, file), 'utf8'))
  const hash = createHash('sha256')
    .update(JSON.stringify([code, key]))
    .digest('hex')
  const folder = join(CACHE, name)
  const prepared = join(folder, hash)
  if (!existsSync(prepared)) {
    await prepare(prepared, make)
    const outdated = readdirSync(folder).filter(entry => !entry.startsWith(hash))
    for (const entry of outdated) rmSync(join(folder, entry), { recursive: true, force: true })
  }
  cpSync(prepared, directory, { recursive: true })
}

async function prepare(prepared: string, make: (directory: string) => Promise<unknown>): Promise<void> {
  mkdirSync(join(prepared, '..'), { recursive: true })
  const work = mkdtempSync(`${prepared}-`)
  try {
    await make(work)
    renameSync(work, prepared)
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    // Another worker was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
  }
}
