import { randomBytes } from 'node:crypto'
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { HostingError } from '../shared/errors.ts'

/** Writes a stream to a file, which appears when all of it is there; gives its size in bytes. */
export async function receiveFile(incoming: Readable, file: string): Promise<number> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    await pipeline(incoming, createWriteStream(temporary))
    renameSync(temporary, file)
    return statSync(file).size
  } catch (error) {
    rmSync(temporary, { force: true })
    throw new HostingError('UNAVAILABLE', `${file} was not written: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
