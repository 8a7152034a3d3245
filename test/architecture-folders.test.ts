import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const MAX_FILES = 25
const MAX_LINES = 300

/** Folders with one file per member of a list. They grow with the list. */
const LISTS = ['src/cli/commands', 'src/daemon/store/migrations']

const files = ['src', 'test'].flatMap(top =>
  readdirSync(join(root, top), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(root.length)),
)

test(`a folder has at most ${MAX_FILES} files, unless it is a known list of similar files`, () => {
  const byFolder = Object.entries(Object.groupBy(files, file => dirname(file)))
  const crowded = byFolder.filter(([folder, own]) => own!.length > MAX_FILES && !LISTS.includes(folder))
  expect(crowded.map(([folder, own]) => `${folder}: ${own!.length}`)).toEqual([])
})

test(`a source file has at most ${MAX_LINES} lines`, () => {
  const code = files.filter(file => /\.(?:[cm]?js|ts|py|sh)$/.test(file))
  const long = code
    .map(file => ({ file, lines: readFileSync(join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
  expect(long.map(({ file, lines }) => `${file}: ${lines}`)).toEqual([])
})
