import { HostingError } from '../../shared/errors.ts'
import type { StoredSource } from '../builder/archive/source-archives.ts'
import { parseSourceLocation, storageScheme } from '../builder/storage/location.ts'
import type { Rooms } from './rooms.ts'

/**
 * Reads the archive that a client names by its URI instead of uploading it, and checks it against the URI's digest; `keep`
 * writes down that it is used. Undefined for what is not ours to read: a bucket of others, or a text that is no URI of a
 * storage. Throws INVALID_REQUEST for a location without a digest, with a wrong one, where nothing lies, and for a file
 * outside of the storage: whoever has a key could otherwise have any file of this machine read.
 */
export async function readSourceAt<T>(
  { storage, archives }: Pick<Rooms, 'storage' | 'archives'>,
  location: string,
  keep: (stored: StoredSource) => T,
): Promise<T | undefined> {
  const scheme = storageScheme(location)
  if (!scheme) return undefined
  const key = storage.keyOf(location.split('#', 1)[0]!)
  if (key === undefined && scheme === 's3') return undefined
  if (key === undefined) throw outside(location)
  const { uri, digest } = parseSourceLocation(location)
  const content = await storage.read(key, digest)
  if (content) return archives.receive(content, digest, keep)
  throw new HostingError('INVALID_REQUEST', `There is no object at ${uri}.`, {
    details: `storageLocation must lead to an archive that is there: upload it, or use PUT /api/projects/{id}/source.`,
  })
}

function outside(location: string): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    `storageLocation "${location}" lies outside of the source storage.`,
    {
      details: 'A file of this machine is uploaded: PUT /api/projects/{id}/source.',
    },
  )
}
