import { randomBytes } from 'node:crypto'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toDiskError } from './object-storage.ts'

/** Writes a stream to a file atomically: the file appears only when it is complete and on disk. */
export async function writeWhole(chunks: AsyncIterable<Uint8Array>, file: string): Promise<void> {
  const temporary = `${file}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await pipeline(Readable.from(chunks), createWriteStream(temporary, { flags: 'wx', mode: 0o600 }))
    await flush(temporary)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw toDiskError(error, file)
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
