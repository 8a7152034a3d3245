import { refuseEntry } from './archive-entry.ts'
import { ARCHIVE_LIMITS } from './limits.ts'

/**
 * The path of an entry within the tree, with `/` between names and none at its ends; `''` is the root itself. Throws
 * INVALID_REQUEST for everything that could lead out of the tree or mean another file on another system.
 */
export function checkEntryPath(name: string): string {
  if (name.startsWith('/') || /^[A-Za-z]:/.test(name)) throw refuseEntry(name, 'is an absolute path')
  if (name.includes('\\')) throw refuseEntry(name, 'has a backslash in its name; separate names by "/"')
  if (/\p{Cc}/u.test(name)) throw refuseEntry(name, 'has a control character in its name')
  const names = name.split('/').filter(part => part !== '' && part !== '.')
  if (names.includes('..')) throw refuseEntry(name, 'leads out of the archive with ".."')
  const tooLong = names.some(part => Buffer.byteLength(part) > ARCHIVE_LIMITS.nameBytes)
  if (tooLong) throw refuseEntry(name, `has a name longer than ${ARCHIVE_LIMITS.nameBytes} bytes`)
  const path = names.join('/')
  if (Buffer.byteLength(path) > ARCHIVE_LIMITS.pathBytes)
    throw refuseEntry(name, `is a path longer than ${ARCHIVE_LIMITS.pathBytes} bytes`)
  return path
}
