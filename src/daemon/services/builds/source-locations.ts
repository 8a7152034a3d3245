import { HostingError } from '../../../shared/errors.ts'
import type { StoredSource } from '../../builder/archive/source-archives.ts'
import { parseSourceLocation, storageScheme } from '../../builder/storage/location.ts'
import type { ServiceDependencies } from '../dependencies.ts'

/**
 * Reads an archive by its URI in the storage and checks it against the URI's digest. `keep` records its use. Returns undefined
 * for another bucket, or for text that is not a storage URI. Throws INVALID_REQUEST for a missing object, a missing or wrong
 * digest, and for a file outside the storage, so that an API key cannot be used to read other files on this machine.
 */
export async function readSourceAt<T>(
  { storage, archives }: Pick<ServiceDependencies, 'storage' | 'archives'>,
  location: string,
  keep: (stored: StoredSource) => T,
): Promise<T | undefined> {
  const scheme = storageScheme(location)
  if (!scheme) return undefined
  const key = storage.keyOf(location.split('#', 1)[0]!)
  if (key === undefined && scheme === 's3') return undefined
  if (key === undefined) throw outsideStorage(location)
  const { uri, digest } = parseSourceLocation(location)
  const content = await storage.read(key, digest)
  if (content) return archives.receive(content, digest, keep)
  throw new HostingError('INVALID_REQUEST', `There is no object at ${uri}.`, {
    details: `Upload the archive to that location, or use PUT /api/projects/{id}/source.`,
  })
}

function outsideStorage(location: string): HostingError {
  return new HostingError('INVALID_REQUEST', `storageLocation "${location}" is outside the source storage.`, {
    details: 'Upload local files with PUT /api/projects/{id}/source.',
  })
}
