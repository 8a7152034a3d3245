import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ARCHIVE_LIMITS } from '../../../../src/daemon/builder/archive/limits.ts'
import { checkArchive, detectFormat, unpackArchive } from '../../../../src/daemon/builder/archive/unpack.ts'
import { type TarEntry, tar, tarGz, type ZipEntry, zip } from '../../../helpers/archives.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-unpack-'))
  mkdirSync(join(folder, 'out'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const into = () => join(folder, 'out')
/** Validates and unpacks an archive, as an upload does. */
async function unpack(bytes: Buffer, limits = ARCHIVE_LIMITS as Parameters<typeof checkArchive>[2]) {
  const path = join(folder, 'archive')
  writeFileSync(path, bytes)
  const format = detectFormat(path)
  await checkArchive(path, format, limits)
  const { root } = await unpackArchive(path, format, into(), limits)
  return relative(into(), root)
}
const files = () =>
  readdirSync(into(), { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isDirectory())
    .map(entry => relative(into(), join(entry.parentPath, entry.name)))
    .toSorted()

const ADD = { name: 'tools/add.ts', content: 'export default {}' }

describe('an archive', () => {
  test.each([
    ['tar.gz', tarGz],
    ['zip', zip],
  ])('an archive in the format %s is unpacked with its folders and modes', async (_, pack) => {
    const mode = pack === zip ? 0o100755 : 0o755
    await unpack(
      pack([{ name: 'tools/', type: 'Directory' } as never, ADD, { name: 'run.sh', content: '#!', mode }]),
    )
    expect(files()).toEqual(['run.sh', 'tools/add.ts'])
    expect(readFileSync(join(into(), 'tools/add.ts'), 'utf8')).toBe('export default {}')
    expect(statSync(join(into(), 'run.sh')).mode & 0o777).toBe(0o755)
    expect(statSync(join(into(), 'tools/add.ts')).mode & 0o777).toBe(0o644)
  })

  test('an archive with a single top folder, like those from GitHub, is unpacked to that folder', async () => {
    expect(await unpack(tarGz([{ name: 'weather-main/package.json', content: '{}' }]))).toBe('weather-main')
  })

  test.each([
    ['whose only folder is part of the project', [ADD]],
    [
      'with a file next to its only folder',
      [{ name: 'app/package.json', content: '{}' }, { name: 'README' }],
    ],
    ['whose only folder does not look like a project', [{ name: 'src/server.py', content: '' }]],
    [
      'with an entry for its root',
      [
        { name: './', type: 'Directory' },
        { name: './app/package.json', content: '{}' },
      ],
    ],
  ] as [string, TarEntry[]][])('the root of an archive %s is the project', async (_, entries) => {
    expect(await unpack(tarGz(entries))).toBe('')
  })

  test('keeps internal links, and replaces hard links with copies', async () => {
    await unpack(
      tarGz([
        ADD,
        { name: 'tools/sum.ts', type: 'SymbolicLink', target: 'add.ts' },
        { name: 'all', type: 'SymbolicLink', target: 'tools/../tools' },
        { name: 'copy.ts', type: 'Link', target: 'tools/add.ts' },
      ]),
    )
    expect(readlinkSync(join(into(), 'tools/sum.ts'))).toBe('add.ts')
    expect(readFileSync(join(into(), 'all/sum.ts'), 'utf8')).toBe(ADD.content)
    expect(statSync(join(into(), 'copy.ts')).nlink).toBe(1)
  })

  test('an archive with a large file is unpacked completely', async () => {
    const content = Buffer.from(
      Array.from({ length: 100_000 }, (_, index) => `line ${index * 7919}\n`).join(''),
    )
    for (const pack of [tarGz, zip]) {
      rmSync(into(), { recursive: true })
      mkdirSync(into())
      await unpack(pack([{ name: 'data.txt', content }]))
      expect(readFileSync(join(into(), 'data.txt')).equals(content)).toBe(true)
    }
  })
})

const OUTSIDE = 'outside the archive'
const HOSTILE: [string, TarEntry[], string][] = [
  ['an absolute path', [{ name: '/etc/passwd', content: 'x' }], 'is an absolute path'],
  ['a drive letter', [{ name: 'C:evil.txt', content: 'x' }], 'is an absolute path'],
  ['".." in a path', [{ name: 'tools/../../evil.ts', content: 'x' }], OUTSIDE],
  ['a backslash', [{ name: 'tools\\..\\..\\evil.ts', content: 'x' }], 'backslash'],
  ['a control character', [{ name: 'to\nols.ts', content: 'x' }], 'control character'],
  ['a link out of the tree', [{ name: 'a', type: 'SymbolicLink', target: '../../etc' }], OUTSIDE],
  ['a link to an absolute path', [{ name: 'a', type: 'SymbolicLink', target: '/etc' }], 'absolute'],
  [
    'a link that leads out through another link',
    [
      { name: 'd/e/root', type: 'SymbolicLink', target: '../..' },
      { name: 'd/e/out', type: 'SymbolicLink', target: 'root/..' },
    ],
    OUTSIDE,
  ],
  [
    'a cycle of links',
    [
      { name: 'a', type: 'SymbolicLink', target: 'b/x' },
      { name: 'b', type: 'SymbolicLink', target: 'a/x' },
    ],
    'part of a cycle of links',
  ],
  [
    'a file written through a link',
    [
      { name: 'a', type: 'SymbolicLink', target: 'tools' },
      { name: 'a/b.ts', content: 'x' },
    ],
    'is inside "a", which is a symlink',
  ],
  ['a hard link out of the tree', [{ name: 'a', type: 'Link', target: '../../etc/passwd' }], OUTSIDE],
  ['a hard link to an absolute path', [{ name: 'a', type: 'Link', target: '/etc/passwd' }], 'absolute'],
  ['a hard link to nothing', [{ name: 'a', type: 'Link', target: 'b' }], 'hard link'],
  [
    'a hard link to a link',
    [
      { name: 'a', type: 'SymbolicLink', target: 'b' },
      { name: 'c', type: 'Link', target: 'a' },
    ],
    'hard link',
  ],
  ['a character device', [{ name: 'dev/null', type: 'CharacterDevice' }], 'character device'],
  ['a block device', [{ name: 'dev/sda', type: 'BlockDevice' }], 'block device'],
  ['a named pipe', [{ name: 'pipe', type: 'FIFO' }], 'named pipe'],
  [
    'names that differ only in case',
    [ADD, { name: 'tools/ADD.ts', content: 'x' }],
    'differs from "tools/add.ts" only in case',
  ],
  ['folders that differ only in case', [ADD, { name: 'Tools/b.ts', content: 'x' }], 'only in case'],
  [
    'names that differ only in Unicode composition',
    [
      { name: 'caf\u00e9', content: 'x' },
      { name: 'cafe\u0301', content: 'x' },
    ],
    'only in case',
  ],
  ['the same file twice', [ADD, ADD], 'twice'],
  ['a file and a folder with the same name', [ADD, { name: 'tools', content: 'x' }], 'twice'],
  ['a path below a file', [ADD, { name: 'tools/add.ts/b', content: 'x' }], 'which is a file'],
  ['a name that is too long', [{ name: `${'n'.repeat(256)}.ts`, content: 'x' }], 'longer than 255 bytes'],
  [
    'a path that is too long',
    [{ name: `${'nine/'.repeat(300)}a.ts`, content: 'x' }],
    'longer than 1024 bytes',
  ],
]

describe('a malicious or malformed .tar.gz is rejected, and nothing is written', () => {
  test.each(HOSTILE)('rejects a .tar.gz for %s', async (_, entries, expected) => {
    await expect(unpack(tarGz(entries))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(expected),
    })
    expect(readdirSync(folder).toSorted()).toEqual(['archive', 'out'])
    expect(files()).toEqual([])
  })
})

describe('a .zip is rejected', () => {
  test.each([
    ['an absolute path', [{ name: '/etc/passwd', content: 'x' }], '"/etc/passwd" is an absolute path'],
    ['".." in a path', [{ name: '../evil.ts', content: 'x' }], '"../evil.ts" is outside the archive'],
    ['a backslash', [{ name: 'tools\\evil.ts', content: 'x' }], 'has a backslash in its name'],
    ['a link out of the tree', [{ name: 'a', content: '../../etc', mode: 0o120777 }], OUTSIDE],
    ['a device', [{ name: 'null', mode: 0o020666 }], 'device'],
    ['encryption', [{ name: 'a.ts', content: 'x', encrypted: true }], 'is encrypted'],
    ['names that differ only in case', [{ name: 'a.ts' }, { name: 'A.ts' }], 'only in case'],
    ['a wrong size', [{ name: 'a.ts', content: 'x'.repeat(5000), claimedSize: 5 }], 'damaged'],
  ] as [string, ZipEntry[], string][])('rejects a .zip for %s', async (_, entries, expected) => {
    await expect(unpack(zip(entries))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining(expected),
    })
    expect(readdirSync(folder).toSorted()).toEqual(['archive', 'out'])
    expect(files()).toEqual([])
  })
})

describe('a decompression bomb is rejected', () => {
  const zeros = { name: 'zeros.bin', content: Buffer.alloc(12_000_000) }

  test.each([
    ['tar.gz', tarGz([zeros])],
    ['zip', zip([zeros])],
  ])('rejects a decompression bomb with an excessive compression ratio, as .%s', async (_, bytes) => {
    await expect(unpack(bytes)).rejects.toThrow('"zeros.bin" is compressed by a factor of more than 100')
  })

  test.each([
    ['tar.gz', tarGz],
    ['zip', zip],
  ])('rejects a decompression bomb with more bytes than the limit, as .%s', async (_, pack) => {
    const limits = { ...ARCHIVE_LIMITS, totalBytes: 20_000 }
    const entries = Array.from({ length: 3 }, (_, index) => ({
      name: `${index}.txt`,
      content: 'x'.repeat(9000),
    }))
    await expect(unpack(pack(entries), limits)).rejects.toThrow('larger than 20000 bytes unpacked')
  })

  // The number of entries that a zip declares is compared with ARCHIVE_LIMITS, not with the given limits.
  test.each([
    ['tar.gz', tarGz, 50],
    ['zip', zip, ARCHIVE_LIMITS.entries],
  ])('rejects a decompression bomb with more entries than the limit, as .%s', async (_, pack, limit) => {
    const entries = Array.from({ length: limit + 1 }, (_, index) => ({ name: `${index}` }))
    const limits = { ...ARCHIVE_LIMITS, entries: limit }
    await expect(unpack(pack(entries), limits)).rejects.toThrow(`more than ${limit} entries`)
  })

  test('rejects a decompression bomb with hard links to one large file', async () => {
    const content = Buffer.from(
      Array.from({ length: 2000 }, (_, i) => String.fromCharCode(33 + ((i * i) % 90))).join(''),
    )
    const links = Array.from({ length: 50 }, (_, index) => ({
      name: `l${index}`,
      type: 'Link' as const,
      target: index ? `l${index - 1}` : 'a',
    }))
    const limits = { ...ARCHIVE_LIMITS, totalBytes: 50_000 }
    await expect(unpack(tarGz([{ name: 'a', content }, ...links]), limits)).rejects.toThrow(
      'larger than 50000 bytes',
    )
  })

  test('rejects a decompression bomb with padding but no entries', async () => {
    await expect(unpack(gzipSync(Buffer.alloc(30_000_000)))).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
  })

  test('rejects a .tar.gz that was compressed twice', async () => {
    await expect(unpack(gzipSync(tarGz([ADD])))).rejects.toThrow('contains no tar archive')
  })
})

describe('damaged archives', () => {
  test.each([
    ['a truncated .tar.gz', () => tarGz([{ name: 'a', content: 'x'.repeat(9000) }]).subarray(0, 70)],
    [
      'a tar that ends in the middle of a file',
      () => gzipSync(tar([{ name: 'a', content: 'x'.repeat(9000) }]).subarray(0, 2000)),
    ],
    ['compressed text', () => gzipSync('this is no archive at all')],
    ['a truncated .zip', () => zip([{ name: 'a', content: 'x'.repeat(9000) }]).subarray(0, 60)],
  ])('reports %s as invalid', async (_, make) => {
    await expect(unpack(make())).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })
})
