import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { list } from 'tar'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { packSource } from '../../../../src/cli/project/source/pack-source.ts'
import { listSourceFiles } from '../../../../src/cli/project/source/source-files.ts'

let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'mcp-pack-'))
})
afterEach(() => rmSync(project, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), content)
  }
}
const listed = () => listSourceFiles(project).map(({ path }) => path)

describe('the files of a source', () => {
  test('excludes history, installed packages and secrets', () => {
    write({
      'tools/add.ts': '',
      '.git/HEAD': '',
      'node_modules/zod/index.js': '',
      'packages/a/node_modules/b/index.js': '',
      '.venv/bin/python': '',
      'lib/__pycache__/x.pyc': '',
      '.env': 'KEY=1',
      '.env.production': 'KEY=1',
      'config/.env.local': 'KEY=1',
      '.env.example': 'KEY=',
      '.mcpignore': '!.env\n!node_modules\n',
    })
    expect(listed()).toEqual(['.env.example', '.mcpignore', 'tools/add.ts'])
  })

  test('follows .gitignore and .mcpignore, and the nearest and last rule wins', () => {
    write({
      '.gitignore': '*.log\ndist/\n/top.txt\n',
      '.mcpignore': 'docs\n!keep.log\n',
      'a.log': '',
      'keep.log': '',
      'top.txt': '',
      'sub/top.txt': '',
      'sub/.gitignore': '!b.log\nprivate\n',
      'sub/a.log': '',
      'sub/b.log': '',
      'sub/private/x.ts': '',
      'sub/dist/x.js': '',
      'docs/x.md': '',
      'dist/keep.ts': '',
    })
    expect(listed()).toEqual([
      '.gitignore',
      '.mcpignore',
      'keep.log',
      'sub/.gitignore',
      'sub/b.log',
      'sub/top.txt',
    ])
  })

  test('a source is rejected when all files are ignored', () => {
    write({ '.env': 'KEY=1' })
    expect(() => listed()).toThrow('All are ignored')
  })
})

describe('a packed source', () => {
  test('a packed source has a digest that depends on the files but not on their modification times', async () => {
    write({ 'tools/add.ts': 'one', 'tools/b/c.ts': 'two' })
    symlinkSync('add.ts', join(project, 'tools/sum.ts'))
    const digestNow = async () => {
      const { digest, file, remove } = await packSource(project)
      expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(digest)
      remove()
      return digest
    }
    const first = await digestNow()
    utimesSync(join(project, 'tools/add.ts'), 1, 1)
    expect(await digestNow()).toBe(first)
    write({ 'tools/add.ts': 'other' })
    expect(await digestNow()).not.toBe(first)
  })

  test('leaves out temporary files that an editor removes during packing', async () => {
    write({ 'a.ts': 'a', sedA1b2: '', sedC3d4: '' })
    const packing = packSource(project)
    for (const name of ['sedA1b2', 'sedC3d4']) rmSync(join(project, name))
    const [packed, again] = [await packing, await packSource(project)]
    expect(packed.digest).toBe(again.digest)
    for (const { remove } of [packed, again]) remove()
  })

  test('a packed source starts with its root and has sorted files without owners or times', async () => {
    write({ 'b.ts': '', 'a/c.ts': '', 'a.ts': '', '-v': '' })
    chmodSync(join(project, 'b.ts'), 0o755)
    const { file, remove } = await packSource(project)
    const entries: { path: string; mode: number; mtime: number; uid: number | undefined }[] = []
    await list({
      file,
      onReadEntry: ({ path, mode = 0, mtime, uid }) =>
        entries.push({ path, mode, mtime: Number(mtime ?? 0), uid }),
    })
    remove()
    expect(entries.map(({ path }) => path)).toEqual(['./', './-v', './a.ts', './a/c.ts', './b.ts'])
    expect(entries.every(({ mtime, uid }) => mtime === 0 && !uid)).toBe(true)
    expect(entries.at(-1)!.mode & 0o777).toBe(0o755)
  })
})
