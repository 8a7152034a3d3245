import { HostingError } from '../../../shared/errors.ts'

export interface SourceLocation {
  /** URI without the fragment. */
  uri: string
  /** SHA-256, 64 hexadecimal digits. */
  digest: string
}

const FRAGMENT = /^sha256[=:]([0-9a-f]{64})$/i
const NAME = /(?:^|\/)([0-9a-f]{64})(?:\.[a-z.]+)?$/i

/**
 * Parses `s3://bucket/app.tar.gz#sha256=<digest>`, or a URI with the digest as its name, like our objects. Throws INVALID_REQUEST
 * without a digest, because anyone with write access could replace the object.
 */
export function parseSourceLocation(location: string): SourceLocation {
  const [uri = '', fragment] = location.split('#', 2)
  const digest = FRAGMENT.exec(fragment ?? '')?.[1] ?? (fragment ? undefined : NAME.exec(uri)?.[1])
  if (digest) return { uri, digest: digest.toLowerCase() }
  throw new HostingError('INVALID_REQUEST', `storageLocation "${location}" has no digest.`, {
    details: `Add the SHA-256 of the archive: ${uri}#sha256=<64 hexadecimal digits>`,
  })
}

/** Scheme of an object storage URI. Undefined for any other text, which is purely informational. */
export function storageScheme(location: string): 's3' | 'file' | undefined {
  return /^(s3|file):/i.exec(location)?.[1]?.toLowerCase() as 's3' | 'file' | undefined
}
