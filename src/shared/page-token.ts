/** Where a page of a list starts: after this record, newest first. Stays valid while records are added or removed. */
export interface Position {
  createdAt: string
  id: string
}

/** The opaque text that clients send as `cursor` or `nextToken`. */
export function encodePageToken({ createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url')
}

/** Undefined for a text that `encodePageToken` never returns. */
export function decodePageToken(token: string): Position | undefined {
  try {
    const [createdAt, id] = JSON.parse(Buffer.from(token, 'base64url').toString())
    return typeof createdAt === 'string' && typeof id === 'string' ? { createdAt, id } : undefined
  } catch {
    return undefined // not JSON, or not an array
  }
}

export function isPageToken(token: string): boolean {
  return decodePageToken(token) !== undefined
}
