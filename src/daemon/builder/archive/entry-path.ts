import { refuseEntry } from './archive-entry.ts'
import { ARCHIVE_LIMITS } from './limits.ts'

/**
 * Path of an entry in the tree, without `/` at its ends. `''` is the root. Throws INVALID_REQUEST for a path that could lead out
 * of the tree or denote another file on other systems.
 */
export function checkEntryPath(name: string): string {
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) throw refuseEntry(name, 'is an absolute path')
  if (name.includes('\\')) throw refuseEntry(name, 'has a backslash in its name; use "/"')
  if (/\p{Cc}/u.test(name)) throw refuseEntry(name, 'has a control character in its name')
  const names = name.split('/').filter(part => part !== '' && part !== '.')
  if (names.includes('..')) throw refuseEntry(name, 'is outside the archive because of ".."')
  const tooLong = names.some(part => Buffer.byteLength(part) > ARCHIVE_LIMITS.nameBytes)
  if (tooLong) throw refuseEntry(name, `has a name longer than ${ARCHIVE_LIMITS.nameBytes} bytes`)
  const path = names.join('/')
  if (Buffer.byteLength(path) > ARCHIVE_LIMITS.pathBytes)
    throw refuseEntry(name, `has a path longer than ${ARCHIVE_LIMITS.pathBytes} bytes`)
  return path
}
