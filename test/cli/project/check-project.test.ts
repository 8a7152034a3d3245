import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { checkProject, summaryText } from '../../../src/cli/project/check-project.ts'
import { loadProject } from '../../../src/cli/project/project.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-check-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(files: Record<string, string | object>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 1),
    )
  }
}

async function check() {
  const project = await loadProject(folder)
  const summary = await checkProject(project)
  return { summary, text: summaryText(project, summary) }
}

const config = (more: object) => ({ 'mcp.config.json': { name: 'demo', template: 'custom', ...more } })

it('counts the definitions of the file and the handler modules, without loading them', async () => {
  write({
    'tools/add.ts': 'throw new Error("loaded")',
    'tools/add.test.ts': '',
    'tools/sub.ts': '',
    'prompts/ask.ts': '',
  })
  const counts = { tools: 0, resources: 0, prompts: 0 }
  const modules = ['tools/add.ts', 'tools/sub.ts', 'prompts/ask.ts']
  expect(await check()).toEqual({
    summary: { ...counts, modules },
    text: '2 files in tools/, 1 file in prompts/, which only mcp build checks',
  })
  const tool = {
    name: 'a',
    description: 'A',
    inputSchema: { type: 'object' },
    handler: { type: 'template', text: 'a' },
  }
  write(config({ tools: [tool] }))
  expect((await check()).text).toMatch(/^1 tool, 2 files in tools/)
})

it('names the program of a project instead of its unknown tools', async () => {
  write(config({ program: { type: 'stdio', command: 'npx', args: ['-y', 'some-server'] } }))
  expect((await check()).text).toBe('program npx')
})

it('reports every file that the project names and that does not exist, with its position', async () => {
  const tool = { name: 'a', description: 'A', inputSchema: { type: 'object' } }
  write(config({ test: 'nope.yaml', tools: [{ ...tool, handler: { type: 'module', path: './src/a.ts' } }] }))
  await expect(check()).rejects.toMatchObject({
    code: 'INVALID_MCP',
    details: [
      `mcp.config.json:14:5 tools[0].handler.path: "src/a.ts" does not exist in ${folder}`,
      `mcp.config.json:4:2 test: "nope.yaml" does not exist in ${folder}`,
    ].join('\n'),
  })
  write(config({ program: { type: 'stdio', command: 'python3', args: ['nope.py'] } }))
  await expect(check()).rejects.toMatchObject({
    details: expect.stringContaining('program: "nope.py" does not exist'),
  })
})

it('reports an invalid suite', async () => {
  write({ ...config({ test: 'tests.yaml' }), 'tools/a.ts': '', 'tests.yaml': 'case: []\n' })
  await expect(check()).rejects.toThrow('tests.yaml is not a valid suite')
  write({ 'tests.yaml': 'cases: [{ message: hi }]\n' })
  expect((await check()).summary.modules).toEqual(['tools/a.ts'])
})
