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

/** Runs `work` and waits for the notification. */
async function notified(work: () => void): Promise<void> {
  const before = changes
  work()
  while (changes === before) await new Promise<void>(resolve => (waiting = resolve))
}
const write = (path: string, content = 'x') => writeFileSync(join(project, path), content)

test('a change, a new file, a rename and a removal are reported', async () => {
  await notified(() => appendFileSync(join(project, 'tools/add.ts'), 'two'))
  await notified(() => write('tools/new.ts'))
  await notified(() => renameSync(join(project, 'tools/new.ts'), join(project, 'tools/sum.ts')))
  await notified(() => rmSync(join(project, 'tools/sum.ts')))
})

test('reports files in new folders at any depth', async () => {
  await notified(() => mkdirSync(join(project, 'lib/deep'), { recursive: true }))
  await notified(() => write('lib/deep/x.ts'))
})

test('combines a burst of changes into a few reports', async () => {
  await notified(() => {
    for (let i = 0; i < 50; i++) write(`tools/${i}.ts`)
  })
  await notified(() => write('tools/last.ts'))
  expect(changes).toBeLessThanOrEqual(4)
})

test('ignores files that packing excludes, and applies changed rules immediately', async () => {
  for (const path of ['node_modules/a/index.js', 'dist/x.js', 'a.log', '.env']) write(path)
  // Events arrive in order, so a single change here means that the earlier ones were ignored.
  await notified(() => write('tools/add.ts', 'two'))
  expect(changes).toBe(1)
  await notified(() => write('.mcpignore', '!*.log\n'))
  await notified(() => write('a.log', 'more'))
})
