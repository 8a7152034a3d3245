import { expect, test } from 'vitest'
import { callTool } from '../../../helpers/daemon/daemon.ts'
import { ADD, build, useCodeProject } from './code-project.ts'

useCodeProject()

const THROWS = 'const limits: any = undefined\n\nexport default limits.max\n'
const THROWS_DEEPLY = {
  'tools/b.ts': `import { load } from '../src/load.ts'\nexport default await load()`,
  'src/load.ts': `export async function load() {\n  throw new TypeError('no way')\n}`,
}

test.each([
  [
    'throws while it is loaded',
    { 'tools/a.ts': THROWS },
    "The server cannot be loaded: Cannot read properties of undefined (reading 'max') (tools/a.ts:3:23)",
    "tools/a.ts:3:23: TypeError: Cannot read properties of undefined (reading 'max')\n  3 | export default limits.max\n    |                       ^",
  ],
  [
    'fails in a file that it imports',
    THROWS_DEEPLY,
    'The server cannot be loaded: no way (src/load.ts:2:9)',
    '    |         ^\n    at src/load.ts:2:9\n    at tools/b.ts:2:22',
  ],
  [
    'imports a package that reads a file',
    {
      'tools/a.ts': `import text from 'reader'\nexport default text`,
      'node_modules/reader/index.js': `const fs = require('fs')\nmodule.exports = fs.readFileSync('/etc/hostname', 'utf8')`,
    },
    'The server cannot be loaded: Handler modules may not read files: "/etc/hostname" (tools/a.ts:1:18)',
    'at node_modules/reader/index.js:2:21',
  ],
  [
    'reads a file',
    { 'tools/a.ts': `import { readFileSync } from 'node:fs'\nexport default readFileSync('./data.json')` },
    'The server cannot be loaded: Handler modules may not read files: "./data.json" (tools/a.ts:2:16)',
    /^Import the file instead \(docs\/custom-servers.md\), or host the server as a program: mcp deploy --command\.\ntools\/a\.ts:2:16: Error: Handler modules may not read files: "\.\/data\.json"\n/,
  ],
  [
    'writes a file',
    { 'tools/a.ts': `import { writeFileSync } from 'node:fs'\nexport default writeFileSync('/tmp/x', '')` },
    'Handler modules may not write files: "/tmp/x"',
    'Keep data in context.store',
  ],
  [
    'starts a process',
    {
      'tools/a.ts': `import { execFileSync } from 'node:child_process'\nexport default execFileSync('/bin/ls')`,
    },
    'Handler modules may not start processes: "/bin/ls"',
    'To do so, host the server as a program',
  ],
  [
    'imports a disabled Node module',
    { 'tools/a.ts': `import 'node:sqlite'\nexport default {}` },
    'The server cannot be loaded: No such built-in module: node:sqlite',
    'A handler module cannot use node:sqlite',
  ],
  [
    'exports no definition',
    { 'tools/a.ts': `export default { description: 'x' }` },
    'The server cannot be loaded: tools/a.ts exports no tool',
    undefined,
  ],
  [
    'uses the name of another module',
    { 'tools/add.ts': ADD, 'tools/b.ts': ADD.replace('description', `name: 'add', description`) },
    'tools/b.ts: name: "add" is already the name of tools/add.ts',
    undefined,
  ],
  [
    'has an invalid schema',
    { 'tools/a.ts': ADD.replace(`type: 'object'`, `type: 'objekt'`) },
    'tools/a.ts: inputSchema.type: must be "object"',
    undefined,
  ],
  [
    'has no description',
    { 'tools/a.ts': ADD.replace(`description: 'Adds two numbers',`, '') },
    'tools/a.ts: description: is required',
    undefined,
  ],
  [
    'exits its process',
    { 'tools/a.ts': 'process.exit(3)' },
    "The server's process crashed with exit code 3 while it was loading.",
    'tools/a.ts',
  ],
  [
    'is missing',
    { 'README.md': '' },
    'The source defines no tool, resource or prompt.',
    'tools/, resources/ or prompts/',
  ],
])(
  'a module that %s fails the build with an error that names the cause',
  async (_what, files, message, details) => {
    const { status, error } = await build(files as Record<string, string>)
    expect(status).toBe('failed')
    expect(error.code).toBe('INVALID_MCP')
    expect(error.message).toContain(message)
    expect(error.details ?? '').toMatch(details ?? '')
    expect(`${error.message}${error.details}`).not.toContain('--allow-')
  },
)

test('a failed build keeps the preview of the last ready build', async () => {
  const good = await build({ 'tools/add.ts': ADD }, { name: 'lasting' })
  const bad = await build({ 'tools/add.ts': 'export default {' }, { name: 'lasting' })
  expect(bad.status).toBe('failed')
  expect((await callTool(good.url, 'add', { a: 1, b: 1 })).content[0].text).toBe('2')
})
