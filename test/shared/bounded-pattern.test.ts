import { expect, test } from 'vitest'
import { createPattern } from '../../src/shared/bounded-pattern.ts'
import { compileSchema, describeViolation } from '../../src/shared/json-schema.ts'

test.each([
  ['^(a+)+$', 'aaa', true],
  ['^(a+)+$', 'b'.repeat(40), false],
  ['^[a-z0-9]+(-[a-z0-9]+)*$', 'a-name-of-many-words-that-is-not-short', true],
  ['^\\p{L}{2,}$', 'Zürich', true],
  ['^.$', '😀', true],
  ['a+b', `${'c'.repeat(2000)}ab`, true],
])('%s matches as it should: %s', (source, text, matches) => {
  expect(createPattern(source, 'u').test(text)).toBe(matches)
})

test.each([
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['^(\\p{L}+)+$', `${'a'.repeat(60)}!`],
  ['^(?=a)(a|a)*$', `${'a'.repeat(60)}!`],
  ['a*a*a*b', 'a'.repeat(100_000)],
])('a match of %s that would take for ever is ended', (source, text) => {
  expect(() => createPattern(source, 'u').test(text)).toThrow(
    `the pattern ${source} takes longer than 100 ms`,
  )
})

test('two patterns of one schema are told apart', () => {
  const validate = compileSchema({
    properties: { x: { pattern: '^a$' }, y: { pattern: '^b$' } },
    patternProperties: { '^z': { type: 'number' } },
  })
  expect(validate({ x: 'a', y: 'b', z1: 1 })).toBe(true)
  expect(validate({ x: 'a', y: 'a' })).toBe(false)
  expect(validate({ z1: 'a' })).toBe(false)
})

test('entries are unique by what JSON Schema counts as equal, however many there are', () => {
  const validate = compileSchema({ uniqueItems: true })
  expect(validate([1, '1', true, 'true', null, 'null', [1], ['1'], {}, []])).toBe(true)
  expect(validate([{ a: 1, b: [2] }, 3, { b: [2], a: 1 }])).toBe(false)
  expect(describeViolation(validate.errors, 'list')).toBe('list must NOT have duplicate items, not an array')
  // Compared with each other these would be five thousand million comparisons.
  expect(validate(Array.from({ length: 100_000 }, (_, index) => ({ index })))).toBe(true)
  expect(compileSchema({ uniqueItems: false })([1, 1])).toBe(true)
})

test('a long text that is no URL is found to be none at once', () => {
  const validate = compileSchema({ format: 'url' })
  expect(validate('https://example.com/a?b=c')).toBe(true)
  expect(validate(`http://${'::'.repeat(1_000_000)}`)).toBe(false)
})
