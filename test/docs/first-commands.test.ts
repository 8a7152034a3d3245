import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createHome } from '../helpers/mcp.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Commands that create, start or use a server, without quotes, prompts or network access. */
const COMMAND =
  /^(?:npm ci && )?(?:npx )?mcp ((?:up|init \S+ --template|tools|call|read) [^'#\n]*?) *(?:#.*)?$/gm

test('the first commands of README and quick start work in order', async () => {
  const pages = ['README.md', 'docs/quick-start.md'].map(file => readFileSync(join(root, file), 'utf8'))
  const lines = new Set(pages.flatMap(page => [...page.matchAll(COMMAND)].map(([, line]) => line!)))
  expect(lines.size).toBeGreaterThan(5)
  const home = createHome()
  symlinkSync(join(root, 'examples'), join(home.dir, 'examples'))
  try {
    for (const line of lines) {
      const { code, stderr } = await home.mcp(line.split(' '), { cwd: home.dir })
      expect({ line, code, stderr }).toEqual({ line, code: 0, stderr: '' })
    }
  } finally {
    await home.remove()
  }
})
