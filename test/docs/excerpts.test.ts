import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { parseProject } from '../../src/cli/project/project.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Excerpt {
  page: string
  line: number
  /** Source folder, if the page names one. */
  example: string | undefined
  value: Record<string, unknown>
}

const EXCERPTS = ['docs/definitions.md', 'docs/quick-start.md'].flatMap(excerptsOf)

it.each(EXCERPTS)('the excerpt at $page:$line is valid', async ({ example, value }) => {
  // Completes the excerpt to a whole file. The example has the files that the excerpt refers to.
  const { env } = example ? configOf(example) : {}
  const whole = { name: 'excerpt', template: 'advanced', env, ...value }
  const file = join(root, example ?? 'docs', 'mcp.config.json')
  const project = await parseProject({ file, value: whole, locate: () => undefined })
  expect(project.request.name).toBe(whole.name)
})

it.each(EXCERPTS.filter(({ example }) => example))(
  'the excerpt at $page:$line is part of $example',
  ({ example, value }) => {
    const source = configOf(example!)
    for (const [field, part] of Object.entries(value)) {
      const whole = source[field]
      if (Array.isArray(part)) expect(whole).toEqual(expect.arrayContaining(part))
      else expect(whole).toEqual(part)
    }
  },
)

it('docs/definitions.md and docs/quick-start.md have more than ten JSON excerpts', () => {
  expect(EXCERPTS.length).toBeGreaterThan(10)
})

function configOf(example: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, example, 'mcp.config.json'), 'utf8'))
}

function excerptsOf(page: string): Excerpt[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(/(?:<!-- (examples\/[\w-]+) -->\s+)?```json\n([\s\S]*?)\n```/g)].map(match => ({
    page,
    line: text.slice(0, match.index).split('\n').length,
    example: match[1],
    value: JSON.parse(match[2]!),
  }))
}
