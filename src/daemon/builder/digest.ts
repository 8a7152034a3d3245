import { createHash } from 'node:crypto'

/** SHA-256 in hexadecimal digits. */
export function digestOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
