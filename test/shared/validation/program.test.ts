import { expect, test } from 'vitest'
import { problemsOf, server, tool } from '../../fixtures/definitions.ts'

const withProgram = (extra: object = {}, more: object = {}) =>
  server({ template: 'custom', program: { type: 'stdio', command: 'node', ...extra }, ...more })

test.each([
  [{}, {}],
  [{ cwd: '/srv/app' }, {}],
  [{ cwd: 'app' }, { source: 'src_1' }],
  [{ cwd: './a/../b' }, { source: 'src_1' }],
])('accepts a program with the fields %j in a definition with %j', (extra, more) => {
  expect(problemsOf(withProgram(extra, more))).toEqual([])
})

test.each([
  [{}, { template: 'advanced' }, 'program: template "advanced" does not support programs'],
  [{}, { tools: [tool] }, 'tools: cannot be combined with "program", which lists its own tools'],
  [{ cwd: 'app' }, {}, 'program.cwd: "app" is relative, but there is no "source"'],
  [{ cwd: 'a/../../b' }, { source: 'src_1' }, 'program.cwd: "a/../../b" is outside the source archive'],
])('rejects a program with the fields %j in a definition with %j', (extra, more, sentence) => {
  expect(problemsOf(withProgram(extra, more)).join('\n')).toContain(sentence)
})
