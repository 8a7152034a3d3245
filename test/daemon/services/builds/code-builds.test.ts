import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { callTool } from '../../../helpers/daemon/daemon.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'
import { filesWithDependency, startRegistry } from '../../../helpers/services/npm-registry.ts'
import { ADD, build, daemon, useCodeProject } from './code-project.ts'

useCodeProject()

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

test('the same source results in the same artifact without being bundled or run again', async () => {
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

test('a program runs in the folder of its source, and the folder is removed with the last build', async () => {
  const files = { 'app/greet.mjs': GREETING_PROGRAM, 'app/greeting.txt': 'Hello from the archive' }
  const program = { type: 'stdio', command: 'node', args: ['greet.mjs'], cwd: 'app' }
  const record = await build(files, { name: 'greeter', program })
  expect(record, JSON.stringify(record.error)).toMatchObject({ status: 'ready', tools: ['greet'] })
  expect((await callTool(record.url, 'greet')).content[0].text).toBe('Hello from the archive')
  expect(readdirSync(daemon.home.programSources)).toHaveLength(1)
  await daemon.api('DELETE', `/v1/build/${record.mcp_id}`)
  expect(readdirSync(daemon.home.programSources)).toEqual([])
})
