import { expect, test } from 'vitest'
import { problemsOf, server, tool } from '../../fixtures/definitions.ts'

const withProgram = (extra: object = {}, more: object = {}) =>
  server({ template: 'custom', program: { type: 'stdio', command: 'node', ...extra }, ...more })

test.each([
  [{}, {}],
  [{ cwd: '/srv/app' }, {}],
  [{ cwd: 'app' }, { source: 'src_1' }],
  [{ cwd: './a/../b' }, { source: 'src_1' }],
])('a program is taken with %j and %j', (extra, more) => {
  expect(problemsOf(withProgram(extra, more))).toEqual([])
})

test.each([
  [{}, { template: 'advanced' }, 'program: A program does not belong to template "advanced"'],
  [{}, { tools: [tool] }, 'tools: stands beside "program", which tells its tools itself'],
  [{ cwd: 'app' }, {}, 'program.cwd: "app" is relative to a "source", and there is none'],
  [{ cwd: 'a/../../b' }, { source: 'src_1' }, 'program.cwd: "a/../../b" leads out of the source'],
])('a program is refused with %j and %j', (extra, more, sentence) => {
  expect(problemsOf(withProgram(extra, more)).join('\n')).toContain(sentence)
})
