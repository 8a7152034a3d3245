import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FolderWatcher } from '../../../src/cli/dev/watch-folder.ts'

let project: string
let watcher: FolderWatcher
let changes: number
let waiting: (() => void) | undefined
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'mcp-watch-'))
  for (const folder of ['tools', 'node_modules/a', 'dist'])
    mkdirSync(join(project, folder), { recursive: true })
  writeFileSync(join(project, '.gitignore'), 'dist\n*.log\n')
  writeFileSync(join(project, 'tools/add.ts'), 'one')
  changes = 0
  watcher = new FolderWatcher(project, () => {
    changes++
    waiting?.()
  })
})
afterEach(() => {
  watcher.close()
  rmSync(project, { recursive: true, force: true })
})

/** Does something and waits until it is told. */
async function told(work: () => void): Promise<void> {
  const before = changes
  work()
  while (changes === before) await new Promise<void>(resolve => (waiting = resolve))
}
const write = (path: string, content = 'x') => writeFileSync(join(project, path), content)

test('a change, a new file, a rename and a removal are told', async () => {
  await told(() => appendFileSync(join(project, 'tools/add.ts'), 'two'))
  await told(() => write('tools/new.ts'))
  await told(() => renameSync(join(project, 'tools/new.ts'), join(project, 'tools/sum.ts')))
  await told(() => rmSync(join(project, 'tools/sum.ts')))
})

test('files in folders that are made later are told, however deep', async () => {
  await told(() => mkdirSync(join(project, 'lib/deep'), { recursive: true }))
  await told(() => write('lib/deep/x.ts'))
})

test('what many steps make at once is told once', async () => {
  await told(() => {
    for (let i = 0; i < 50; i++) write(`tools/${i}.ts`)
  })
  await told(() => write('tools/last.ts'))
  expect(changes).toBeLessThanOrEqual(4)
})

test('what packing ignores is not told, and rules that change count at once', async () => {
  for (const path of ['node_modules/a/index.js', 'dist/x.js', 'a.log', '.env']) write(path)
  // The events of one process come in order: this one proves that those before it were no change.
  await told(() => write('tools/add.ts', 'two'))
  expect(changes).toBe(1)
  await told(() => write('.mcpignore', '!*.log\n'))
  await told(() => write('a.log', 'more'))
})
