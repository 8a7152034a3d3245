import { describe, expect, test } from 'vitest'
import { loadSchemaCheck } from '../../../src/cli/suite/schema-check.ts'
import { type Expectation, expectationSchema } from '../../../src/shared/definitions/test-suite.ts'
import { judge } from '../../../src/shared/suite/judge.ts'
import { observe, type RunFacts } from '../../../src/shared/suite/observed.ts'

const check = await loadSchemaCheck()

const SEEN: RunFacts = {
  reply: 'It is 4 °C in Oslo.',
  tools: ['find', 'read', 'find'],
  resources: ['notes://one'],
  prompts: ['greet'],
  calls: [
    { name: 'find', arguments: { city: 'Oslo', days: 3, place: { lat: 59.9, lon: 10.7 }, tags: ['a', 'b'] } },
    { name: 'read', arguments: {} },
    { name: 'find', arguments: { city: 'Lima' } },
  ],
  errors: 1,
  toolErrors: [],
  turns: 3,
  seconds: 1.5,
  tokens: 900,
  stoppedBy: null,
}

const failuresOf = (expectation: Expectation, seen: Partial<RunFacts> = {}) =>
  judge(expectationSchema.parse(expectation), { ...SEEN, ...seen }, check).failures

describe('an expectation holds', () => {
  test.each<[string, Expectation]>([
    ['a list of used tools', { tools: ['find'] }],
    ['any of several', { tools: { any: ['write', 'read'] } }],
    ['exactly these in any order', { tools: { exact: ['read', 'find'] } }],
    ['an order with others in between', { tools: { sequence: ['find', 'find'] } }],
    ['never', { tools: { never: ['write'] } }],
    ['resources and prompts', { resources: ['notes://one'], prompts: { exact: ['greet'] } }],
    [
      'a subset of the arguments',
      { calls: [{ tool: 'find', arguments: { city: 'Oslo', place: { lat: 59.9 }, tags: ['a', 'b'] } }] },
    ],
    [
      'a schema of the arguments',
      { calls: [{ tool: 'find', schema: { properties: { days: { minimum: 3 } }, required: ['days'] } }] },
    ],
    [
      'patterns of nested members',
      { calls: [{ tool: 'find', patterns: { city: '^Os', 'place.lat': '^59', 'tags.1': 'b' } }] },
    ],
    [
      'a number of calls',
      {
        calls: [
          { tool: 'find', times: 2 },
          { tool: 'write', times: 0 },
        ],
      },
    ],
    [
      'text in the reply, ignoring case',
      { reply: { contains: ['oslo', '4 °c'], excludes: 'Lima', pattern: '\\d °C' } },
    ],
    [
      'numbers within their ranges',
      { errors: 1, turns: { min: 3, max: 3 }, seconds: 2, tokens: { max: 1000 } },
    ],
  ])('an expectation holds: %s', (_, expectation) => expect(failuresOf(expectation)).toEqual([]))
})

describe('a failed expectation is explained', () => {
  test.each<[Expectation, string]>([
    [{ tools: ['write'] }, 'tool write was not used (used: find, read)'],
    [{ tools: { any: ['a', 'b'] } }, 'none of a, b was used (used: find, read)'],
    [{ tools: { exact: ['find'] } }, 'tool read was used, expected only find'],
    [{ tools: { exact: [] } }, 'tool find was used, expected only none'],
    [
      { tools: { sequence: ['read', 'read'] } },
      'expected tools in the order read, read (used: find, read, find)',
    ],
    [{ tools: { never: ['read'] } }, 'tool read was used but is forbidden'],
    [{ resources: ['notes://two'] }, 'resource notes://two was not used (used: notes://one)'],
    [{ calls: [{ tool: 'write' }] }, 'write was not called'],
    [
      { calls: [{ tool: 'find', arguments: { city: 'Rome', days: 3 } }] },
      'no call to find matches: city is "Oslo", expected "Rome"',
    ],
    [
      { calls: [{ tool: 'read', arguments: { a: null } }] },
      'no call to read matches: a is absent, expected null',
    ],
    [
      { calls: [{ tool: 'find', arguments: { tags: ['a'] } }] },
      'no call to find matches: tags is ["a","b"], expected ["a"]',
    ],
    [
      { calls: [{ tool: 'read', schema: { required: ['id'] } }] },
      'no call to read matches: "id" is required',
    ],
    [
      { calls: [{ tool: 'find', patterns: { city: '^X' } }] },
      'no call to find matches: city is "Oslo", expected a match for /^X/',
    ],
    [{ calls: [{ tool: 'find', times: 1 }] }, 'expected 1 matching call to find, got 2'],
    [{ reply: { contains: 'Rome' } }, 'the reply does not contain "Rome"'],
    [{ reply: { excludes: 'oslo' } }, 'the reply contains "oslo"'],
    [{ reply: { pattern: '^Rome' } }, 'the reply does not match /^Rome/'],
    [{ errors: 0 }, 'failed calls: 1, expected at most 0'],
    [{ turns: { min: 4 } }, 'turns: 3, expected at least 4'],
    [{ seconds: 1 }, 'seconds: 1.500, expected at most 1'],
  ])('the expectation %j fails with an explanation', (expectation, sentence) =>
    expect(failuresOf(expectation)[0]).toContain(sentence),
  )
})

test('without expectations, no call may fail', () => {
  expect(judge(undefined, SEEN, check).failures).toEqual(['failed calls: 1, expected at most 0'])
  expect(judge(undefined, { ...SEEN, errors: 0 }, check).failures).toEqual([])
})

test('a run stopped by a limit always fails', () => {
  expect(failuresOf({}, { stoppedBy: 'turns' })).toEqual(['the run reached its limit on turns'])
})

test('an expectation about a fact that the API does not report is unknown', () => {
  const { failures, unknown } = judge(
    { calls: [{ tool: 'find' }], turns: 1 },
    { ...SEEN, calls: undefined, turns: undefined },
    check,
  )
  expect([failures, unknown]).toEqual([[], ['calls', 'turns']])
})

test('a conversation is judged by the sum of its messages and by the last reply', () => {
  const result = (reply: string, tool: string) => ({
    ai_response: reply,
    tools_used: [tool],
    resources_accessed: [],
    execution_time: 0.5,
    success_rate: 1,
    turns: 2,
  })
  const seen = observe([result('first', 'a'), result('last', 'b')])
  expect(seen).toMatchObject({
    reply: 'last',
    tools: ['a', 'b'],
    turns: 4,
    seconds: 1,
    calls: undefined,
    tokens: undefined,
  })
})

test('names errors from tools only if an expectation failed', () => {
  const seen = { toolErrors: ['find failed: tag is not iterable'] }
  expect(failuresOf({ reply: { contains: 'Rome' } }, seen)).toEqual([
    'the reply does not contain "Rome"',
    'find failed: tag is not iterable',
  ])
  expect(failuresOf({ reply: { contains: 'Oslo' } }, seen)).toEqual([])
})
