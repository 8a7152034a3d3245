import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { preparedFolder } from '../prepared-folder.ts'

const PACKER = fileURLToPath(new URL('../../../src/daemon/builder/image', import.meta.url))

/** Copies an image layout that `make` fills into a directory. */
export async function copyPrepared(
  name: string,
  key: string,
  directory: string,
  make: (directory: string) => Promise<unknown>,
): Promise<void> {
  cpSync(await preparedFolder(name, imageKey(key), make), directory, { recursive: true })
}

/** Key that changes with the given key and with the code that builds images. */
export function imageKey(key: string): string {
  const code = readdirSync(PACKER).map(file => readFileSync(join(PACKER, file), 'utf8'))
  return JSON.stringify([code, key])
}
