import { posix } from 'node:path'
import { type RawEntry, refuseEntry, tooManyEntries } from './archive-entry.ts'
import { checkEntryPath } from './entry-path.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts'

interface Node {
  /** Path as the archive first spells it. Names may differ in case and Unicode form. */
  path: string
  type: 'file' | 'directory' | 'symlink'
  target?: string
  /** Bytes of a file that were actually unpacked. */
  bytes: number
}

/** Entry that may be written, with its path in the tree. */
export interface CheckedEntry {
  path: string
  type: RawEntry['type']
  executable: boolean
  /** For a symbolic link, the target as in the archive. For a hard link, the path in the tree. */
  target?: string
}

/** Longer chains of links count as a cycle. */
const MAX_LINKS = 40

/** Tree of an archive's entries. Rejects entries that collide, lead out of the tree, or exceed the limits. */
export class EntryTree {
  readonly #limits: ArchiveLimits
  readonly #packedBytes: number
  /** Nodes by normalized path, because macOS and Windows ignore the case and composition of letters. */
  readonly #nodes = new Map<string, Node>()
  #entries = 0
  #bytes = 0

  /** `packedBytes`: size of the archive. */
  constructor(packedBytes: number, limits: ArchiveLimits = ARCHIVE_LIMITS) {
    this.#packedBytes = packedBytes
    this.#limits = limits
  }

  /** Returns undefined for the root, which exists already. Throws INVALID_REQUEST. */
  add(entry: RawEntry): CheckedEntry | undefined {
    if (++this.#entries > this.#limits.entries) throw tooManyEntries(this.#limits.entries)
    const path = checkEntryPath(entry.name)
    if (path === '') {
      if (entry.type === 'directory') return undefined
      throw refuseEntry(entry.name, 'has no name')
    }
    this.#addParents(entry.name, path)
    const link = this.#checkTarget(entry, path)
    const type = entry.type === 'hardlink' ? 'file' : entry.type
    this.#addNode(entry.name, { path, type, bytes: 0, ...link })
    // A hard link is unpacked as a copy.
    if (entry.type === 'hardlink') this.count(path, this.#nodes.get(keyOf(link!.target))!.bytes)
    return { path, type: entry.type, executable: entry.executable, ...link }
  }

  /** Counts unpacked bytes of `path` while they stream. Throws INVALID_REQUEST at the limits. */
  count(path: string, bytes: number): void {
    this.#bytes += bytes
    const node = this.#nodes.get(keyOf(path))
    if (node) node.bytes += bytes
    const { totalBytes, ratio, ratioFromBytes } = this.#limits
    if (this.#bytes > totalBytes)
      throw refuseEntry(path, `makes the archive larger than ${totalBytes} bytes unpacked`)
    if (this.#bytes > ratioFromBytes && this.#bytes > ratio * this.#packedBytes)
      throw refuseEntry(path, `is compressed by a factor of more than ${ratio}`)
  }

  /** Checks that all symbolic links stay in the tree. Called once all entries have been added. */
  checkLinks(): void {
    for (const node of this.#nodes.values())
      if (node.type === 'symlink') this.#follow(node.path, posix.dirname(node.path), node.target!, 0)
  }

  #addParents(name: string, path: string): void {
    const names = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= names.length; depth++) {
      const parent = names.slice(0, depth).join('/')
      const known = this.#nodes.get(keyOf(parent))
      if (!known) this.#nodes.set(keyOf(parent), { path: parent, type: 'directory', bytes: 0 })
      else if (known.path !== parent) throw refuseEntry(name, differsByCase(known.path))
      else if (known.type !== 'directory')
        throw refuseEntry(name, `is inside "${parent}", which is a ${known.type}`)
    }
  }

  #addNode(name: string, node: Node): void {
    const key = keyOf(node.path)
    const known = this.#nodes.get(key)
    if (known && known.path !== node.path) throw refuseEntry(name, differsByCase(known.path))
    if (known && !(known.type === 'directory' && node.type === 'directory'))
      throw refuseEntry(name, 'is in the archive twice')
    this.#nodes.set(key, node)
  }

  #checkTarget({ name, type, target = '' }: RawEntry, path: string): { target: string } | undefined {
    if (type === 'symlink') {
      if (target.startsWith('/') || /^[A-Za-z]:|[\\\p{Cc}]/u.test(target) || target === '')
        throw refuseEntry(name, 'is a link to an absolute or malformed path')
      return { target }
    }
    if (type !== 'hardlink') return undefined
    const linked = this.#nodes.get(keyOf(checkEntryPath(target)))
    if (linked?.type !== 'file' || linked.path === path)
      throw refuseEntry(name, 'is a hard link, but its target is not an earlier file in the archive')
    return { target: linked.path }
  }

  /** Resolves `target` relative to the folder `from`. */
  #follow(link: string, from: string, target: string, links: number): string {
    if (links > MAX_LINKS) throw refuseEntry(link, 'is part of a cycle of links')
    let at = from === '.' ? '' : from
    for (const name of target.split('/')) {
      if (name === '' || name === '.') continue
      if (name === '..') {
        if (at === '') throw refuseEntry(link, 'is a link to a path outside the archive')
        at = at.includes('/') ? posix.dirname(at) : ''
        continue
      }
      const next = at === '' ? name : `${at}/${name}`
      const node = this.#nodes.get(keyOf(next))
      at = node?.type === 'symlink' ? this.#follow(link, at, node.target!, links + 1) : next
    }
    return at
  }
}

function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

function differsByCase(other: string): string {
  return `differs from "${other}" only in case, which some file systems ignore`
}
