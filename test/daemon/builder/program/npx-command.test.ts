import { expect, test } from 'vitest'
import { parseNpx } from '../../../../src/daemon/builder/program/npx-command.ts'

const parse = (...args: string[]) => parseNpx({ type: 'stdio', command: 'npx', args, path: '/mcp' })

test.each([
  [['-y', 'some-server'], { spec: 'some-server', name: 'some-server', bin: undefined, args: [] }],
  [
    ['--yes', '@a/b@1.2.3', '--flag', 'x'],
    { spec: '@a/b@1.2.3', name: '@a/b', bin: undefined, args: ['--flag', 'x'] },
  ],
  [['-y', '-p', 'pkg@^2', 'tool', 'x'], { spec: 'pkg@^2', name: 'pkg', bin: 'tool', args: ['x'] }],
  [['-y', '--package', 'pkg', '--', 'tool', '-x'], { spec: 'pkg', name: 'pkg', bin: 'tool', args: ['-x'] }],
  [['some-server', '-y'], { spec: 'some-server', name: 'some-server', bin: undefined, args: ['-y'] }],
])('parses npx %j', (args, expected) => {
  expect(parse(...args)).toEqual(expected)
})

test.each([
  [['-y', './local']],
  [['-y', 'github:a/b']],
  [['-y', 'https://example.com/x.tgz']],
  [['-c', 'some command']],
  [['-y', '--call', 'x']],
  [['-y', '-p', 'a', '-p', 'b', 'tool']],
  [[]],
])('does not parse npx %j', args => {
  expect(parse(...args)).toBeUndefined()
})

test('ignores commands other than npx', () => {
  expect(parseNpx({ type: 'stdio', command: 'node', args: ['x'], path: '/mcp' })).toBeUndefined()
})
