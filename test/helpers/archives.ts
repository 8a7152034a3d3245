import { crc32, deflateRawSync, gzipSync } from 'node:zlib'
import { Header } from 'tar'

export interface TarEntry {
  name: string
  content?: string | Buffer
  /** Type flag of the tar header. A file by default. */
  type?: 'File' | 'Directory' | 'SymbolicLink' | 'Link' | 'CharacterDevice' | 'BlockDevice' | 'FIFO'
  target?: string
  mode?: number
}

/** A .tar.gz of exactly these entries. Nothing is checked or cleaned. */
export function tarGz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tar(entries))
}

export function tar(entries: readonly TarEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(tarEntry), Buffer.alloc(1024)])
}

function tarEntry({ name, content = '', type = 'File', target, mode = 0o644 }: TarEntry): Buffer[] {
  const bytes = Buffer.from(content)
  const block = Buffer.alloc(512)
  const header = new Header({
    path: name,
    type,
    mode,
    size: bytes.length,
    linkpath: target,
    mtime: new Date(0),
  })
  // Longer paths need an extra header.
  if (header.encode(block))
    return [
      ...tarEntry({ name: 'pax', content: paxRecord('path', name), type: 'File' }).map(asExtended),
      ...plainEntry(block, bytes),
    ]
  return plainEntry(block, bytes)
}

function plainEntry(block: Buffer, bytes: Buffer): Buffer[] {
  return [block, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]
}

/** Header of extended attributes (type `x`), made from the first block of a file entry. */
function asExtended(part: Buffer, index: number): Buffer {
  if (index > 0) return part
  const block = Buffer.from(part)
  block.write('x', 156)
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** `<length> path=<value>\n`, where the length counts itself (POSIX pax). */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`
  const digits = String(Buffer.byteLength(rest)).length
  const length = Buffer.byteLength(rest) + digits
  return `${length + (String(length).length > digits ? 1 : 0)}${rest}`
}

export interface ZipEntry {
  name: string
  content?: string | Buffer
  /** Unix mode with the file type, e.g. 0o120777 for a link. */
  mode?: number
  encrypted?: boolean
  /** Uncompressed size in the headers. Default: the real size. */
  claimedSize?: number
}

/** Packed content of an empty file, computed once for archives with thousands of empty files. */
const PACKED_EMPTY_FILE = deflateRawSync('')

/** A .zip of exactly these entries (APPNOTE 4.3), deflated. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const packed = entry.content ? deflateRawSync(Buffer.from(entry.content)) : PACKED_EMPTY_FILE
    const local = localEntry(entry, packed)
    parts.push(local)
    directory.push(centralEntry(entry, packed, offset))
    offset += local.length
  }
  const central = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(central.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, central, end])
}

function localEntry(entry: ZipEntry, packed: Buffer): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  writeCommonFields(header, 4, entry, packed)
  const name = Buffer.from(entry.name)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name, packed])
}

function centralEntry(entry: ZipEntry, packed: Buffer, offset: number): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE((3 << 8) | 20, 4)
  writeCommonFields(header, 6, entry, packed)
  const name = Buffer.from(entry.name)
  header.writeUInt16LE(name.length, 28)
  const mode = entry.mode ?? (entry.name.endsWith('/') ? 0o040755 : 0o100644)
  header.writeUInt32LE((mode << 16) >>> 0, 38)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, name])
}

/** Writes the fields from `version needed` to `uncompressed size`, which are the same in both headers. */
function writeCommonFields(header: Buffer, at: number, entry: ZipEntry, packed: Buffer): void {
  const bytes = Buffer.from(entry.content ?? '')
  header.writeUInt16LE(20, at)
  header.writeUInt16LE((entry.encrypted ? 1 : 0) | 0x800, at + 2)
  header.writeUInt16LE(8, at + 4)
  header.writeUInt32LE(crc32(bytes), at + 10)
  header.writeUInt32LE(packed.length, at + 14)
  header.writeUInt32LE(entry.claimedSize ?? bytes.length, at + 18)
}
