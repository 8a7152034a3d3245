import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** Content in an encoding that the client accepts, with the header that names this encoding. */
export async function forEncoding(
  compressed: Buffer,
  acceptEncoding: string | undefined,
): Promise<{ bytes: Buffer; headers: Record<string, string> }> {
  return acceptsGzip(acceptEncoding)
    ? { bytes: compressed, headers: { 'Content-Encoding': 'gzip' } }
    : { bytes: await promisify(gunzip)(compressed), headers: {} }
}

/** RFC 9110 12.5.3. */
function acceptsGzip(header = ''): boolean {
  const codings = header.split(',').map(entry => {
    const [name = '', ...parameters] = entry
      .toLowerCase()
      .split(';')
      .map(part => part.trim())
    const quality = parameters.find(parameter => parameter.startsWith('q='))
    return { name, isRefused: quality !== undefined && Number(quality.slice(2)) === 0 }
  })
  const gzip = codings.find(({ name }) => name === 'gzip' || name === 'x-gzip')
  return gzip ? !gzip.isRefused : codings.some(({ name, isRefused }) => name === '*' && !isRefused)
}

/** Reads the file `<name>.gz` in a folder. Undefined for a missing file, such as one that an update has removed. */
export async function readCompressed(folder: string, name: string): Promise<Buffer | undefined> {
  try {
    return await readFile(join(folder, `${name}.gz`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
