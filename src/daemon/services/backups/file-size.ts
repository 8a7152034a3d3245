import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Total size of files and of the contents of folders, in bytes. Ignores files that do not exist or disappear in the meantime. */
export async function sizeOf(paths: readonly string[]): Promise<number> {
  let bytes = 0
  for (const path of paths) {
    const status = await stat(path).catch(() => undefined)
    if (!status?.isDirectory()) bytes += status?.size ?? 0
    else
      for (const entry of await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []))
        if (entry.isFile())
          bytes += (await stat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0
  }
  return bytes
}
