import { expect, test } from 'vitest'
import { getNamed } from '../../../src/cli/mcp-client/get-named.ts'

const TOOLS = ['add', 'work', 'fail'].map(name => ({ name }))

test('returns the entry with the name', () => {
  expect(getNamed('tool', TOOLS, 'work')).toBe(TOOLS[1])
})

test('suggests a similar name for an unknown one', () => {
  expect(() => getNamed('tool', TOOLS, 'ad')).toThrow('Unknown tool "ad". Did you mean "add"?')
})

test('lists the names when none is similar', () => {
  expect(() => getNamed('tool', TOOLS, 'something')).toThrow('Known: add, work, fail.')
  expect(() => getNamed('prompt', [], 'x')).toThrow('Unknown prompt "x". The server has no prompts.')
})
