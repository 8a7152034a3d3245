import { createHash } from 'node:crypto'
import { HostingError } from '../../../shared/errors.ts'

/** What is known of an object's content before it is read. */
export interface StoredContent {
  /** SHA-256, 64 hexadecimal digits. */
  digest: string
  sizeBytes: number
}

/**
 * Where source archives and artifacts are kept: each object is written once, under a key such as
 * `sources/<digest>.tar.gz`, and never changed. One contract suite runs for every driver (test/contracts/storage.test.ts).
 */
export interface ObjectStorage {
  /** URI of the object with this key: `file:///…` or `s3://bucket/…`. */
  locate(key: string): string
  /** The key of an object that a client may name by its URI; undefined for what lies elsewhere. */
  keyOf(location: string): string | undefined
  /** Stores a file of this machine: the whole of it or nothing. Throws UPSTREAM_FAILED, UNAVAILABLE for a full disk. */
  put(key: string, file: string, content: StoredContent): Promise<void>
  /**
   * Undefined when there is no such object. The chunks end with INVALID_REQUEST when they do not have this digest, so they
   * count only when all of them came; with UPSTREAM_FAILED when the storage breaks off for good.
   */
  read(key: string, digest: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** Nothing happens when there is none. */
  remove(key: string): Promise<void>
  /** Keys that start with this text, sorted. Throws UPSTREAM_FAILED. */
  list(prefix: string): Promise<string[]>
}

/** Passes the chunks on and throws INVALID_REQUEST at their end unless they have this digest. */
export async function* checked(
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
  throw new HostingError('INVALID_REQUEST', `${location} is not what its digest says.`, {
    details: `Its SHA-256 is ${found}, expected was ${digest}. It is damaged, or another object.`,
  })
}

/** A fault of the disk as a sentence; anything else as it is. */
export function toDiskError(error: unknown, what: string): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException
  if (error instanceof HostingError || code === undefined || syscall === undefined) return error
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG'
  const sentence = isFull ? 'The disk is full' : 'The disk does not take it'
  return new HostingError('UNAVAILABLE', `${sentence}: ${what} was not written (${code}).`, {
    details: 'Free space and see that the folder can be written, then do it again.',
    cause: error,
  })
}
