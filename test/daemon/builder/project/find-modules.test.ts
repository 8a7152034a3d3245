import { expect, test } from 'vitest'
import { findModules } from '../../../../src/daemon/builder/project/find-modules.ts'
import { createProjectFolder } from '../../../helpers/daemon/project-folder.ts'

const request = { name: 'shop', template: 'custom' as const }
const tool = { name: 'sum', description: 'Adds', inputSchema: {} }
const handlerOf = (path: string, name = 'default') => ({ type: 'module' as const, path, export: name })

test('finds the modules in all three folders, sorted by name', () => {
  using project = createProjectFolder({
    'tools/b.ts': '',
    'tools/a.mjs': '',
    'resources/c.mts': '',
    'prompts/d.js': '',
  })
  expect(findModules(project.path, request).map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'tool tools/a.mjs',
    'tool tools/b.ts',
    'resource resources/c.mts',
    'prompt prompts/d.js',
  ])
})

test('ignores tests, declarations, private files and subfolders', () => {
  using project = createProjectFolder({
    'tools/add.test.ts': '',
    'tools/add.spec.mjs': '',
    'tools/types.d.ts': '',
    'tools/_shared.ts': '',
    'tools/lib/http.ts': '',
    'tools/notes.md': '',
  })
  expect(findModules(project.path, request)).toEqual([])
})

test('lists the modules named in the request first, and only once', () => {
  using project = createProjectFolder({ 'tools/a.ts': '', 'tools/b.ts': '', 'src/all.ts': '' })
  const tools = [
    { ...tool, handler: handlerOf('./src/all.ts', 'sum') },
    { ...tool, name: 'b', handler: handlerOf('tools/b.ts') },
  ]
  expect(findModules(project.path, { ...request, tools })).toEqual([
    { kind: 'tool', path: 'src/all.ts', export: 'sum' },
    { kind: 'tool', path: 'tools/b.ts', export: 'default' },
    { kind: 'tool', path: 'tools/a.ts', export: 'default' },
  ])
})

test('reports a missing module with its field and the nearest file', () => {
  using project = createProjectFolder({ 'tools/weather.ts': '' })
  const tools = [{ ...tool, handler: handlerOf('tools/wether.ts') }]
  expect(() => findModules(project.path, { ...request, tools })).toThrow(
    'tools[0].handler.path: "tools/wether.ts" is not a file in the source; did you mean "tools/weather.ts"?',
  )
})

test.each(['../secret.ts', '/etc/passwd', 'tools/../../x.ts'])(
  'a path outside the source is refused: %s',
  path => {
    using project = createProjectFolder()
    const tools = [{ ...tool, handler: handlerOf(path) }]
    expect(() => findModules(project.path, { ...request, tools })).toThrow('is outside the source')
  },
)
