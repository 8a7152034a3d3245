/** Last record of the previous page. Lists are newest first. Stays valid while records are added or removed. */
export interface Position {
  createdAt: string
  id: string
}

/** Opaque text that clients send as `cursor` or `nextToken`. */
export function encodePageToken({ createdAt, id }: Position): string {
  return Buffer.from(JSON.stringify([createdAt, id])).toString('base64url')
}

/** Undefined for an invalid token. */
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
