import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { callTool, startTestDaemon, type TestDaemon } from '../../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'
import { filesWithDependency, startRegistry } from '../../../helpers/services/npm-registry.ts'

let daemon: TestDaemon
let projectId: string
beforeAll(async () => {
  daemon = await startTestDaemon()
  projectId = (await daemon.api('POST', '/api/projects', { body: { name: 'shop' } })).body.id
})
afterAll(() => daemon.close())

/** Uploads the files as the project's source. Returns its id. */
async function upload(files: Record<string, string>): Promise<string> {
  using project = createProjectFolder(files)
  const archive = execFileSync('tar', ['-czf', '-', '-C', project.path, '.'])
  const { status, body, text } = await daemon.api('PUT', `/api/projects/${projectId}/source`, {
    body: archive,
    headers: { 'content-type': 'application/gzip' },
  })
  expect(status, text).toBe(200)
  return body.sourceId
}

async function build(files: Record<string, string>, request: object = {}) {
  const source = await upload(files)
  const { body, text } = await daemon.api('POST', '/v1/build', {
    body: { name: 'shop', template: 'custom', source, ...request },
  })
  expect(body.success, text).toBe(true)
  return body.data
}

const ADD = `import { defineTool } from 'mcp-hosting/server'

export default defineTool({
  description: 'Adds two numbers',
  input: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
  handler: ({ a, b }: { a: number; b: number }) => String(a + b),
})
`

test('a folder of handler modules becomes a server whose preview answers', async () => {
  const record = await build({ 'tools/add.ts': ADD })
  expect(record).toMatchObject({ status: 'ready', name: 'shop' })
  const result = await callTool(record.url, 'add', { a: 2, b: 40 })
  expect(result.content).toEqual([{ type: 'text', text: '42' }])
})

test('the artifact of a code build lists the definitions of modules', async () => {
  const { mcp_id, status } = await build({
    'tools/add.ts': ADD,
    'resources/motd.ts': `export default { uri: 'shop://motd', description: 'Of the day', handler: () => 'Hi' }`,
    'prompts/greet.ts': `export default { description: 'Greets', arguments: { name: {} }, handler: ({ name }) => 'Hello ' + name }`,
  })
  expect(status).toBe('ready')
  const artifact = await daemon.api('GET', `/v1/build/${mcp_id}/artifact`)
  expect(artifact.body.data).toMatchObject({
    program: { type: 'module', bundle: expect.stringMatching(/^[0-9a-f]{64}$/) },
    tools: [{ name: 'add', handler: { type: 'module', path: 'tools/add.ts', export: 'default' } }],
    resources: [{ uri: 'shop://motd', name: 'motd' }],
    prompts: [{ name: 'greet', arguments: [{ name: 'name', required: true }] }],
  })
})

test('a build request overrides definitions of modules and can name other modules', async () => {
  const files = {
    'tools/add.ts': ADD,
    'src/all.ts': `export const shout = ({ text }: { text: string }) => text.toUpperCase()`,
  }
  const tools = [
    {
      name: 'shout',
      description: 'Shouts',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      handler: { type: 'module', path: 'src/all.ts', export: 'shout' },
    },
    {
      name: 'plus',
      description: 'Plus',
      inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
      handler: { type: 'module', path: 'tools/add.ts' },
    },
    {
      name: 'declared',
      description: 'Declared',
      inputSchema: {},
      handler: { type: 'template', text: 'by text' },
    },
  ]
  const { url } = await build(files, { tools })
  expect((await callTool(url, 'shout', { text: 'hey' })).content[0].text).toBe('HEY')
  expect((await callTool(url, 'plus', { a: 1, b: 2 })).content[0].text).toBe('3')
  expect((await callTool(url, 'declared')).content[0].text).toBe('by text')
})

test('the same source gives the same artifact without bundling or running it again', async () => {
  const files = {
    'tools/pid.ts': `export default { description: 'x', handler: () => String(${Date.now()}) }`,
  }
  const first = await build(files)
  const artifactFile = join(daemon.home.artifacts, `${first.digest}.mjs`)
  const { mtimeMs, ino } = statSync(artifactFile)
  const second = await build(files)
  expect(second).toMatchObject({ status: 'ready', digest: first.digest, tools: ['pid'] })
  expect(statSync(artifactFile)).toMatchObject({ mtimeMs, ino })
})

test('rebuilds a source whose artifact is missing', async () => {
  const files = { 'tools/lost.ts': `export default { description: 'x', handler: () => 'found' }` }
  const first = await build(files)
  rmSync(join(daemon.home.artifacts, `${first.digest}.mjs`))
  const second = await build(files)
  expect(second.digest).toBe(first.digest)
  expect((await callTool(second.url, 'lost')).content[0].text).toBe('found')
})

test('removes the bundle with its last build', async () => {
  const files = { 'tools/gone.ts': `export default { description: 'x', handler: () => 'gone' }` }
  const first = await build(files, { name: 'gone' })
  const second = await build(files, { name: 'gone' })
  const of = (digest: string) => readdirSync(daemon.home.artifacts).filter(name => name.startsWith(digest))
  await daemon.api('DELETE', `/v1/build/${first.mcp_id}`)
  expect(of(first.digest)).toHaveLength(2)
  await daemon.api('DELETE', `/v1/build/${second.mcp_id}`)
  expect(of(first.digest)).toEqual([])
})

test('the bundle can be read, and a declared server has none', async () => {
  const { mcp_id } = await build({ 'tools/add.ts': ADD })
  const { body } = await daemon.api('GET', `/v1/build/${mcp_id}/bundle`)
  expect(body.data.bundle).toContain('sourceMappingURL=data:')
  const declared = await daemon.api('POST', '/v1/build', { body: { name: 'declared', template: 'basic' } })
  const none = await daemon.api('GET', `/v1/build/${declared.body.data.mcp_id}/bundle`)
  expect(none).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } })
})

test('the previews of custom servers do not share a process', async () => {
  const who = `const me = crypto.randomUUID()
export default { description: 'Returns the id of its process', handler: () => me }`
  const one = await build({ 'tools/who.ts': who }, { name: 'one' })
  const other = await build({ 'tools/who.ts': who }, { name: 'other' })
  const ids = await Promise.all(
    [one, other].map(async ({ url }) => (await callTool(url, 'who')).content[0].text),
  )
  expect(ids[0]).not.toBe(ids[1])
})

test('rejects an unknown source before creating a build', async () => {
  const { status, body } = await daemon.api('POST', '/v1/build', {
    body: { name: 'shop', template: 'custom', source: 'src_00000000000000000000' },
  })
  expect([status, body.error.code]).toEqual([404, 'NOT_FOUND'])
})

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
    '(tools/a.ts:1:18)',
    'at node_modules/reader/index.js:2:21',
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
  'a module that %s fails the build with an error that says where',
  async (_what, files, message, details) => {
    const { status, error } = await build(files as Record<string, string>)
    expect(status).toBe('failed')
    expect(error.code).toBe('INVALID_MCP')
    expect(error.message).toContain(message)
    expect(error.details ?? '').toContain(details ?? '')
  },
)

test('a failed build keeps the preview of the last ready build', async () => {
  const good = await build({ 'tools/add.ts': ADD }, { name: 'lasting' })
  const bad = await build({ 'tools/add.ts': 'export default {' }, { name: 'lasting' })
  expect(bad.status).toBe('failed')
  expect((await callTool(good.url, 'add', { a: 1, b: 1 })).content[0].text).toBe('2')
})

test('bundles packages from the lock file and downloads them once', async () => {
  using npmCache = createProjectFolder()
  vi.stubEnv('npm_config_cache', npmCache.path)
  const registry = await startRegistry()
  const files = {
    ...filesWithDependency(registry),
    'tools/answer.ts': `import tiny from 'tiny'\nexport default { description: 'x', handler: () => String(tiny) }`,
  }
  const first = await build(files)
  registry.close()
  vi.unstubAllEnvs()
  expect((await callTool(first.url, 'answer')).content[0].text).toBe('42')
  const later = await build({ ...files, 'tools/other.ts': ADD })
  expect(later).toMatchObject({ status: 'ready', tools: ['answer', 'other'] })
  const { body } = await daemon.api('GET', `/v1/build/${later.mcp_id}/bundle`)
  expect(body.data.bundle).toContain('node_modules/tiny/index.js')
  expect(body.data.bundle).not.toContain(daemon.home.home)
})

const GREETING_PROGRAM = `import { createInterface } from 'node:readline'
import { readFileSync } from 'node:fs'
const greeting = readFileSync('greeting.txt', 'utf8')
const answers = {
  initialize: () => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'greeter', version: '3' } }),
  'tools/list': () => ({ tools: [{ name: 'greet', inputSchema: { type: 'object' } }] }),
  'tools/call': () => ({ content: [{ type: 'text', text: greeting }] }),
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line)
  if (id !== undefined && answers[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]() }))
}
`

test('a program runs in the folder of its source, which is removed with the last build', async () => {
  const files = { 'app/greet.mjs': GREETING_PROGRAM, 'app/greeting.txt': 'Hello from the archive' }
  const program = { type: 'stdio', command: 'node', args: ['greet.mjs'], cwd: 'app' }
  const record = await build(files, { name: 'greeter', program })
  expect(record, JSON.stringify(record.error)).toMatchObject({ status: 'ready', tools: ['greet'] })
  expect((await callTool(record.url, 'greet')).content[0].text).toBe('Hello from the archive')
  expect(readdirSync(daemon.home.programSources)).toHaveLength(1)
  await daemon.api('DELETE', `/v1/build/${record.mcp_id}`)
  expect(readdirSync(daemon.home.programSources)).toEqual([])
})
