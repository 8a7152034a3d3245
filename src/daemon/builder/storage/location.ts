import { HostingError } from '../../../shared/errors.ts'

/** Where a project says its source lies, and what it must be. */
export interface SourceLocation {
  /** Without the fragment. */
  uri: string
  /** SHA-256, 64 hexadecimal digits. */
  digest: string
}

const FRAGMENT = /^sha256[=:]([0-9a-f]{64})$/i
const NAME = /(?:^|\/)([0-9a-f]{64})(?:\.[a-z.]+)?$/i

/**
 * `s3://bucket/app.tar.gz#sha256=<digest>`, or a name that is the digest, as our own objects have it. Throws
 * INVALID_REQUEST where there is none: an object that nobody can check may be replaced by whoever can write there.
 */
export function parseSourceLocation(location: string): SourceLocation {
  const [uri = '', fragment] = location.split('#', 2)
  const digest = FRAGMENT.exec(fragment ?? '')?.[1] ?? (fragment ? undefined : NAME.exec(uri)?.[1])
  if (digest) return { uri, digest: digest.toLowerCase() }
  throw new HostingError('INVALID_REQUEST', `storageLocation "${location}" names no digest.`, {
    details: `Add the SHA-256 of the archive: ${uri}#sha256=<64 hexadecimal digits>`,
  })
}

/** Of a URI that leads into object storage; undefined for any other text, which is a fact for people. */
export function storageScheme(location: string): 's3' | 'file' | undefined {
  return /^(s3|file):/i.exec(location)?.[1]?.toLowerCase() as 's3' | 'file' | undefined
}
