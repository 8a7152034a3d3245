import { expect, test } from 'vitest'
import { getNamed } from '../../../src/cli/mcp-client/get-named.ts'

const TOOLS = ['add', 'work', 'fail'].map(name => ({ name }))

test('getNamed returns the entry with the given name', () => {
  expect(getNamed('tool', TOOLS, 'work')).toBe(TOOLS[1])
})

test('getNamed suggests a similar name for an unknown one', () => {
  expect(() => getNamed('tool', TOOLS, 'ad')).toThrow('Unknown tool "ad". Did you mean "add"?')
})

test('getNamed lists the names if none is similar', () => {
  expect(() => getNamed('tool', TOOLS, 'something')).toThrow('Known: add, work, fail.')
  expect(() => getNamed('prompt', [], 'x')).toThrow('Unknown prompt "x". The server has no prompts.')
})
