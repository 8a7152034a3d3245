import { expect, test } from 'vitest'
import { nearestName, SERVER_NAME, toSubdomainLabel } from '../../src/shared/names.ts'

test.each([
  ['nmae', ['name', 'mode'], 'name'],
  ['inputschema', ['outputSchema', 'inputSchema'], 'inputSchema'],
  ['tool', ['tools', 'title'], 'tools'],
  ['prod', ['production', 'staging'], 'production'],
  ['pro', ['production', 'programs'], undefined],
  ['zzz', ['name', 'tools'], undefined],
  ['x', [], undefined],
])('"%s" among %j is corrected to %j', (word, candidates, expected) => {
  expect(nearestName(word, candidates)).toBe(expected)
})

test('words of very different lengths are not compared letter by letter', () => {
  const candidates = Array.from({ length: 200 }, (_, index) => 'x'.repeat(100_000 + index))
  expect(nearestName('something_that_is_long_enough_to_compare', candidates)).toBeUndefined()
})

test.each(['weather', 'a', 'My_Server.v2', 'x'.repeat(63)])('%s is a valid server name', name => {
  expect(name).toMatch(SERVER_NAME)
})

test.each(['', '.', '..', '../x', 'a/b', 'a b', 'ü', 'x'.repeat(64)])(
  '%j is not a valid server name',
  name => {
    expect(name).not.toMatch(SERVER_NAME)
  },
)

test.each([
  ['My_Server.v2', 'my-server-v2'],
  ['--a--', 'a'],
  ['___', 'server'],
])('%s becomes the DNS label %s', (name, label) => {
  expect(toSubdomainLabel(name)).toBe(label)
})
