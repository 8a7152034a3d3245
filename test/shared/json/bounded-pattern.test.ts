import { expect, test } from 'vitest'
import { createPattern } from '../../../src/shared/json/bounded-pattern.ts'
import { compileSchema } from '../../../src/shared/json/json-schema.ts'
import { describeViolation } from '../../../src/shared/json/violations.ts'

test.each([
  ['^(a+)+$', 'aaa', true],
  ['^(a+)+$', 'b'.repeat(40), false],
  ['^[a-z0-9]+(-[a-z0-9]+)*$', 'a-name-of-many-words-that-is-not-short', true],
  ['^\\p{L}{2,}$', 'Zürich', true],
  ['^.$', '😀', true],
  ['a+b', `${'c'.repeat(2000)}ab`, true],
])('the pattern %s matches like a regular expression: %s', (source, text, matches) => {
  expect(createPattern(source, 'u').test(text)).toBe(matches)
})

test.each([
  ['^(a+)+$', `${'a'.repeat(60)}!`],
  ['^(\\p{L}+)+$', `${'a'.repeat(60)}!`],
  ['^(?=a)(a|a)*$', `${'a'.repeat(60)}!`],
  ['a*a*a*b', 'a'.repeat(100_000)],
])('stops a match of %s that would take forever', (source, text) => {
  expect(() => createPattern(source, 'u').test(text)).toThrow(
    `the pattern ${source} takes longer than 100 ms`,
  )
})

test('applies each pattern of a schema to its own property', () => {
  const validate = compileSchema({
    properties: { x: { pattern: '^a$' }, y: { pattern: '^b$' } },
    patternProperties: { '^z': { type: 'number' } },
  })
  expect(validate({ x: 'a', y: 'b', z1: 1 })).toBe(true)
  expect(validate({ x: 'a', y: 'a' })).toBe(false)
  expect(validate({ z1: 'a' })).toBe(false)
})

test('uniqueItems uses the equality of JSON Schema and is fast for long lists', () => {
  const validate = compileSchema({ uniqueItems: true })
  expect(validate([1, '1', true, 'true', null, 'null', [1], ['1'], {}, []])).toBe(true)
  expect(validate([{ a: 1, b: [2] }, 3, { b: [2], a: 1 }])).toBe(false)
  expect(describeViolation(validate.errors, 'list')).toBe('list has duplicate items')
  // Pairwise comparison would take five billion steps.
  expect(validate(Array.from({ length: 100_000 }, (_, index) => ({ index })))).toBe(true)
  expect(compileSchema({ uniqueItems: false })([1, 1])).toBe(true)
})

test('immediately rejects a long text that is not a URL', () => {
  const validate = compileSchema({ format: 'url' })
  expect(validate('https://example.com/a?b=c')).toBe(true)
  expect(validate(`http://${'::'.repeat(1_000_000)}`)).toBe(false)
})
