import { randomBytes } from 'node:crypto'

/** Crockford's base 32 in lower case, without letters that look alike. Safe in paths, shells and host names. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export type IdPrefix =
  | 'mcp'
  | 'dep'
  | 'key'
  | 'req'
  | 'inst'
  | 'prj'
  | 'bld'
  | 'src'
  | 'chat'
  | 'usr'
  | 'srun'
  | 'con'

/** A random id such as `dep_4h7k…`: prefix, underscore, 20 characters (100 bits). */
export function createId(prefix: IdPrefix): string {
  return `${prefix}_${randomText(20)}`
}

export function randomText(length: number): string {
  let text = ''
  for (const byte of randomBytes(length)) text += ALPHABET[byte & 31]
  return text
}
