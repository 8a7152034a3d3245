import { createHash } from 'node:crypto'
import { HostingError } from '../../../shared/errors.ts'

/** Known facts about an object's content. */
export interface StoredContent {
  /** SHA-256, 64 hexadecimal digits. */
  digest: string
  sizeBytes: number
}

/**
 * Storage of source archives and artifacts. Each object is written once, with a key such as `sources/<digest>.tar.gz`, and
 * never changed. All drivers pass the same tests (test/contracts/storage.test.ts).
 */
export interface ObjectStorage {
  /** URI of the object with this key: `file:///…` or `s3://bucket/…`. */
  locate(key: string): string
  /** Key of an object that a client may name by its URI. Undefined for other URIs. */
  keyOf(location: string): string | undefined
  /** Stores a local file. Atomic. Throws UPSTREAM_FAILED, or UNAVAILABLE for a disk error. */
  put(key: string, file: string, content: StoredContent): Promise<void>
  /**
   * Undefined when the object does not exist. The stream throws INVALID_REQUEST at its end when the digest does not match, and
   * UPSTREAM_FAILED when the storage fails. Use the chunks only when all have arrived.
   */
  read(key: string, digest: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Does nothing when the object does not exist. */
  remove(key: string): Promise<void>
  /** Keys that start with this text, sorted. Throws UPSTREAM_FAILED. */
  list(prefix: string): Promise<string[]>
}

/** Passes the chunks through. Throws INVALID_REQUEST at the end when the digest does not match. */
export async function* checkDigest(
  chunks: AsyncIterable<Uint8Array>,
  digest: string,
  location: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
  const found = hash.digest('hex')
  if (found === digest) return
  throw new HostingError('INVALID_REQUEST', `${location} does not match its digest.`, {
    details: `Its SHA-256 is ${found} instead of ${digest}. It is damaged, or a different object.`,
  })
}

/** Converts disk errors to UNAVAILABLE. Returns other errors unchanged. */
export function toDiskError(error: unknown, what: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof HostingError || code === undefined || syscall === undefined) return error
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
  const sentence = isFull ? `The disk is full: ${what} was not written` : `Cannot write ${what}`
  return new HostingError('UNAVAILABLE', `${sentence} (${code}).`, {
    details: 'Free some space and make sure that the folder is writable, then try again.',
    cause: error,
  })
}
