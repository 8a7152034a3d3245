import { createHash } from 'node:crypto'

/** SHA-256, 64 hexadecimal digits. */
export function digestOf(bytes: string): string {
  return createHash('sha256').update(bytes).digest('hex')
}
