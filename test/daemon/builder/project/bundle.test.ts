import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { bundleProject, TEXT_AND_BINARY } from '../../../../src/daemon/builder/project/bundle.ts'
import { findModules } from '../../../../src/daemon/builder/project/find-modules.ts'
import type { HostingError } from '../../../../src/shared/errors.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

const sdk = fileURLToPath(new URL('../../../fixtures/sdk.js', import.meta.url))

function bundle(directory: string): Promise<string> {
  const modules = findModules(directory, { name: 'shop', template: 'custom' })
  return bundleProject({ directory, modules, sdk })
}

async function failureOf(files: Record<string, string>): Promise<HostingError> {
  using project = createProjectFolder(files)
  return await bundle(project.path).then(
    () => expect.unreachable('it was bundled'),
    error => error,
  )
}

function mapOf(text: string) {
  const map = JSON.parse(Buffer.from(text.split('base64,').at(-1)!, 'base64').toString())
  return map as ConstructorParameters<typeof SourceMap>[0] & { sourcesContent: (string | null)[] }
}

const load = (text: string) =>
  import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`).then(module => module.default)

const TOOL = `import { defineTool } from 'mcp-hosting/server'
import { twice } from '../src/twice'

export default defineTool({
  description: 'Doubles a number',
  handler({ n }: { n: number }) { return twice(n) },
})
`

test('bundles TypeScript modules into one ECMAScript module that exports their definitions', async () => {
  using project = createProjectFolder({
    'tools/double.ts': TOOL,
    'src/twice.ts': 'export const twice = (n: number) => 2 * n',
    'prompts/hello.mjs': 'export default { description: "Greets", handler: () => "hello" }',
  })
  const { definitions } = await load(await bundle(project.path))
  expect(definitions).toMatchObject([
    { kind: 'tool', path: 'tools/double.ts', export: 'default', definition: { kind: 'tool' } },
    { kind: 'prompt', path: 'prompts/hello.mjs', export: 'default', definition: { description: 'Greets' } },
  ])
  expect(definitions[0].definition.handler({ n: 21 })).toBe(42)
})

test('the same files result in the same bytes in any folder, and the bundle does not contain the path of the folder', async () => {
  const files = { 'tools/double.ts': TOOL, 'src/twice.ts': 'export const twice = (n: number) => 2 * n' }
  using one = createProjectFolder(files)
  using other = createProjectFolder(files)
  const text = await bundle(one.path)
  expect(await bundle(other.path)).toBe(text)
  expect(text).not.toContain(one.path)
})

test('the inline source map maps to the lines of the files', async () => {
  using project = createProjectFolder({
    'tools/double.ts': TOOL,
    'src/twice.ts': 'export const twice = (n: number) => 2 * n',
  })
  const text = await bundle(project.path)
  const map = mapOf(text)
  expect(map.sources).toEqual(expect.arrayContaining(['tools/double.ts', 'src/twice.ts']))
  const lines = text.split('\n')
  const line = lines.findIndex(one => one.includes('handler({n})'))
  const entry = new SourceMap(map).findEntry(line, lines[line]!.indexOf('handler({n})'))
  expect(entry).toMatchObject({ originalSource: 'tools/double.ts', originalLine: 5 })
})

test('imports text, JSON and binary files', async () => {
  using project = createProjectFolder({
    'tools/read.ts': `import guide from '../data/guide.md'
import cities from '../data/cities.json'
import pixel from '../data/pixel.png'
export default { guide, cities, bytes: pixel.length, dirname: import.meta.dirname }`,
    'data/guide.md': '# Guide',
    'data/cities.json': '["Oslo"]',
    'data/pixel.png': 'abc',
  })
  const { definitions } = await load(await bundle(project.path))
  expect(definitions[0].definition).toEqual({
    guide: '# Guide',
    cities: ['Oslo'],
    bytes: 3,
    dirname: '/server',
  })
})

test('rejects a bundle that is too large', async () => {
  const failure = await failureOf({
    'tools/a.ts': `import text from '../data.txt'\nexport default text`,
    'data.txt': 'x'.repeat(35_000_000),
  })
  expect(failure.message).toMatch(/^The bundled source is \d+ MB; the maximum is 64 MB\.$/)
})

test('CommonJS packages of the project can require Node modules', async () => {
  using project = createProjectFolder({
    'tools/join.ts': `import join from 'joiner'\nexport default { joined: join('a', 'b') }`,
    'node_modules/joiner/package.json': '{"name":"joiner","main":"index.js"}',
    'node_modules/joiner/index.js': `const path = require('path')\nmodule.exports = (...parts) => path.posix.join(...parts)`,
  })
  const text = await bundle(project.path)
  const { definitions } = await load(text)
  expect(definitions[0].definition.joined).toBe('a/b')
  const { sources, sourcesContent } = mapOf(text)
  const contents = Object.fromEntries(sources.map((source, index) => [source, sourcesContent[index]]))
  expect(contents['node_modules/joiner/index.js']).toBeNull()
  expect(contents['tools/join.ts']).toContain('export default')
})

test('reports a syntax error with file, line, column and source line', async () => {
  const failure = await failureOf({ 'tools/add.ts': 'export default {\n\tsum: (1 + 2},\n}\n' })
  expect(failure).toMatchObject({
    code: 'INVALID_MCP',
    message: 'The source cannot be bundled: tools/add.ts:2:13: Expected ")" but found "}"',
    details: 'tools/add.ts:2:13: Expected ")" but found "}"\n  2 | \tsum: (1 + 2},\n    | \t           ^',
  })
})

test('reports all errors, and the message quotes the first and counts the others', async () => {
  const failure = await failureOf({ 'tools/a.ts': 'let = ;', 'tools/b.ts': 'export default {' })
  expect(failure.message).toMatch(/^The source cannot be bundled: tools\/a\.ts:1:\d+: .* \(and 1 more\)$/)
  expect(failure.details).toContain('tools/b.ts:1:17: Expected identifier but found end of file')
})

test('columns count characters instead of bytes', async () => {
  const failure = await failureOf({ 'tools/add.ts': 'const größe = "äöü" +;' })
  expect(failure.details).toMatch(/^tools\/add\.ts:1:22: .*\n {2}1 \| .*\n {4}\| {22}\^$/)
})

test.each([
  ['./missing', 'Could not resolve "./missing": this file is not in the source'],
  [
    'zod/v4',
    'Could not resolve "zod/v4": the package "zod" is not in the project\'s dependencies; add it with: npm install zod',
  ],
  ['@acme/kit', 'the package "@acme/kit" is not in the project'],
  ['mcp-hosting', 'import from "mcp-hosting/server" instead'],
])('reports an unresolved import with a hint: %s', async (path, expected) => {
  const failure = await failureOf({ 'tools/a.ts': `import x from '${path}'\nexport default x` })
  expect(failure.code).toBe('INVALID_MCP')
  expect(failure.details).toContain(expected)
  expect(failure.details).toMatch(/^tools\/a\.ts:1:15: /)
})

test('reports a package that is only a development dependency', async () => {
  const failure = await failureOf({
    'package.json': '{"devDependencies":{"zod":"^4.0.0"}}',
    'tools/a.ts': `import { z } from 'zod'\nexport default z`,
  })
  expect(failure.details).toContain(
    '"zod" is in "devDependencies", which are not installed; move it with: npm install --save-prod zod',
  )
})

test('rejects a module without a default export and names it', async () => {
  const failure = await failureOf({ 'tools/a.ts': 'export const add = 1' })
  expect(failure.message).toBe(
    'The source cannot be bundled: tools/a.ts has no default export; export the definition with "export default defineTool({…})"',
  )
})

test('does not bundle or quote a file outside the project', async () => {
  using secret = createProjectFolder({ 'key.json': '{"key":"s3cret"}', 'broken.js': 'key: s3cret:0' })
  const read = await failureOf({
    'tools/a.ts': `import key from '${secret.path}/key.json'\nexport default key`,
  })
  expect(read.message).toBe('The source imports a file outside the project.')
  expect(read.details).toContain(`tools/a.ts imports "${secret.path}/key.json".`)
  const broken = await failureOf({ 'tools/a.ts': `export { default } from '${secret.path}/broken.js'` })
  expect(broken.message).toBe(read.message)
  expect(JSON.stringify([broken.message, broken.details])).not.toContain('s3cret')
})

test('uses the tsconfig.json of the project, but not one in a parent folder', async () => {
  using project = createProjectFolder({
    'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./p/src/*"]}}}',
    'p/tools/a.ts': `import { one } from '@/one'\nexport default one`,
    'p/src/one.ts': 'export const one = 1',
  })
  await expect(bundle(`${project.path}/p`)).rejects.toMatchObject({ code: 'INVALID_MCP' })
  project.write({ 'p/tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}' })
  await expect(bundle(`${project.path}/p`)).resolves.toContain('a_default=1')
})

test.each([
  [
    'a binary',
    {
      'node_modules/fast/index.js': `module.exports = require('./fast.node')`,
      'node_modules/fast/fast.node': '',
    },
  ],
  [
    'a loader for binaries',
    {
      'node_modules/fast/index.js': `module.exports = require('bindings')('fast')`,
      'node_modules/bindings/index.js': 'module.exports = () => {}',
    },
  ],
])('rejects a package with native parts: %s', async (_what, files) => {
  const failure = await failureOf({ 'tools/a.ts': `import fast from 'fast'\nexport default fast`, ...files })
  expect(failure).toMatchObject({
    code: 'INVALID_MCP',
    message: expect.stringContaining('needs a native addon (fast)'),
  })
})

test('the template declares the types of all files that can be imported', () => {
  const file = new URL('../../../../templates/custom/types/files.d.ts', import.meta.url)
  const declared = readFileSync(file, 'utf8').matchAll(
    /declare module '\*(\.\w+)' \{\n {2}const (text|bytes):/g,
  )
  const kinds = [...declared].map(([, extension, name]) => [extension, name === 'text' ? 'text' : 'binary'])
  expect(Object.fromEntries(kinds)).toEqual(TEXT_AND_BINARY)
})
