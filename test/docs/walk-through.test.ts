import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parsePage } from './pages/page.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('the workflow in the walk-through is the one that mcp init writes, plus lines marked "# added"', () => {
  const files = parsePage(read('docs/walk-through.md')).steps.filter(step => 'path' in step)
  const workflow = files.find(({ path }) => path.endsWith('.github/workflows/mcp.yml'))!
  const lines = workflow.content.split('\n').filter(line => !line.endsWith('# added'))
  expect(lines.join('\n')).toBe(read('templates/ci/github.yml'))
})
