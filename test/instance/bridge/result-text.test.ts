import { describe, expect, test } from 'vitest'
import { findResult, toResultText } from '../../../src/instance/bridge/result-text.ts'
import { ResultText } from '../../../src/instance/server/results.ts'

/** The parts that are passed on unparsed. Undefined for a line that is parsed as a whole. */
function pass(line: string): { id: number; members: string; failed: boolean } | undefined {
  const answer = findResult(line)
  const text = answer && toResultText(answer.result)
  return text && { id: answer.id, members: text.members, failed: text.failed }
}

const idFirst = (id: string, result: string) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
const idLast = (id: string, result: string) => `{"result":${result},"jsonrpc":"2.0","id":${id}}`

describe.each([
  ['with its id first', idFirst],
  ['with its result first', idLast],
])('an answer %s', (_, line) => {
  test('an answer is forwarded unchanged, including numbers and escapes', () => {
    const members =
      '"content":[{"type":"text","text":"a\\u00e9\\n\\"}{,"}],"n":12345678901234567890.10,"e":1e3'
    expect(pass(line('17', `{${members}}`))).toEqual({ id: 17, members, failed: false })
  })

  test('a forwarded answer reports whether the tool failed', () => {
    expect(pass(line('1', '{"content":[],"isError":true}'))?.failed).toBe(true)
    expect(pass(line('1', '{"content":[],"isError":"true"}'))?.failed).toBe(false)
    expect(pass(line('1', '{"content":[{"isError":true}]}'))?.failed).toBe(false)
    expect(pass(line('1', '{"isError":true,"isError":false}'))?.failed).toBe(false)
  })

  test('keeps text that looks like the frame of an answer', () => {
    const members = '"text":"},\\"jsonrpc\\":\\"2.0\\",\\"id\\":5}","result":{"jsonrpc":"2.0","id":9},"id":3'
    expect(pass(line('4', `{${members}}`))).toEqual({ id: 4, members, failed: false })
  })

  test.each([
    ['invalid JSON', '{"a":1'],
    ['JSON followed by more members', '{"a":1},"b":{"c":2}'],
    ['a second result', '{"a":1},"result":{"a":2}'],
    ['an error next to it', '{"a":1},"error":{"code":1,"message":""}'],
    ['a value other than an object', '[{"a":1}]'],
    ['null', 'null'],
    ['no members', '{}'],
    ['white space before it', ' {"a":1}'],
    ['white space after it', '{"a":1} '],
    ['a carriage return', '{"a":1,\r"b":2}'],
    ['members that the bridge extends', '{"a":1,"_meta":{}}'],
  ])('an answer is parsed when its result is, or has, %s', (_, result) => {
    expect(pass(line('1', result))).toBeUndefined()
  })

  test.each(['0', '01', '-1', '1.5', '1e3', '"1"', 'null', '', ' 1', '1 ', '٣'])(
    'an answer is parsed when its id is written as %s',
    id => {
      expect(pass(line(id, '{"a":1}'))).toBeUndefined()
    },
  )
})

test.each([
  '',
  '{',
  '}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":1,"result":}',
  '{"result":}',
  '{"result":{"a":1}}',
  '{"id":1,"result":{"a":1},"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"result":{"a":1}}}',
  '{"jsonrpc": "2.0", "id": 1, "result": {"a": 1}}',
  '{"jsonrpc":"2.0","id":1,"result":{"a":1}}\r',
  ' {"jsonrpc":"2.0","id":1,"result":{"a":1}}',
])('parses the line %s', line => {
  expect(pass(line)).toBeUndefined()
})

test('whatever a program writes, the forwarded text equals what a parser reads from the line', () => {
  const random = createRandom(20_260_728)
  let passed = 0
  for (let round = 0; round < 20_000; round++) {
    const line = mangle(random, randomLine(random))
    const answer = pass(line)
    if (!answer) continue
    passed++
    const { jsonrpc, id, result, ...rest } = JSON.parse(line)
    expect({ jsonrpc, id, rest }, line).toEqual({ jsonrpc: '2.0', id: answer.id, rest: {} })
    expect(JSON.parse(`{${answer.members}}`), line).toEqual(result)
    expect(answer.failed, line).toBe(result.isError === true)
    expect(answer.members, line).not.toMatch(/[\r\n]|^\s*$/)
    expect(Object.hasOwn(result, '_meta'), line).toBe(false)
  }
  expect(passed).toBeGreaterThan(4000)
})

test('no value from a handler is mistaken for validated text', () => {
  expect({ members: '"a":1', failed: false }).not.toBeInstanceOf(ResultText)
})

type Random = (below: number) => number

/** Deterministic random numbers (mulberry32), so that failures can be repeated. */
function createRandom(seed: number): Random {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function randomLine(random: Random): string {
  const result = random(10) === 0 ? randomValue(random, 3) : randomObject(random, 3)
  const id = mostly(random, String(1 + random(10 ** 9)), IDS)
  const members = [`"jsonrpc":${mostly(random, '"2.0"', ['"1.0"', '2'])}`, `"id":${id}`]
  members.splice(mostly(random, 2 * random(2), [1]), 0, `"result":${result}`)
  if (random(12) === 0) members.push(pick(random, ['"result":{"b":1}', '"id":2', '"error":{}', '"x":1']))
  return `{${members.join(mostly(random, ',', [', ']))}}`
}

const IDS = ['9007199254740991', '9007199254740993', '0', '007', '-3', '1.0', '1e3', '"1"', 'null', '{}']

/** Leaves most lines unchanged. In the others, a piece or the rest is missing, or a piece is doubled or replaced. */
function mangle(random: Random, line: string): string {
  const at = random(line.length)
  const length = random(4)
  const piece = line.slice(at, at + length)
  switch (random(12)) {
    case 0:
      return line.slice(0, at) + line.slice(at + length)
    case 1:
      return line.slice(0, at) + piece + line.slice(at)
    case 2:
      return line.slice(0, at) + pick(random, PIECES) + line.slice(at + length)
    case 3:
      return line.slice(0, at)
    default:
      return line
  }
}

const PIECES = [
  ...[
    '{',
    '}',
    '"',
    ',',
    ':',
    '\\',
    '\r',
    '\t',
    ' ',
    '0',
    '[',
    ']',
    '\u2028',
    '"result":',
    '"id":',
    '"_meta":1,',
  ],
  ...[',"jsonrpc":"2.0","id":7}', '{"jsonrpc":"2.0","id":7,"result":', '\u0000', '\ud800', 'é', '🜁'],
]

function randomObject(random: Random, depth: number): string {
  const members = Array.from({ length: random(5) }, () => {
    const key = pick(random, KEYS)
    return `${space(random)}${JSON.stringify(key)}${space(random)}:${randomValue(random, depth - 1)}`
  })
  return `{${members.join(',')}${space(random)}}`
}

const KEYS = [
  ...['a', 'b', 'content', 'isError', 'isError', 'isError', 'structuredContent', '_meta', 'id', 'result'],
  ...['', '__proto__', 'é', '"', '}', '\\', 'constructor', 'hasOwnProperty', '\u2028', 'jsonrpc'],
]

function randomValue(random: Random, depth: number): string {
  const kind = random(depth > 0 ? 6 : 4)
  if (kind === 4) return randomObject(random, depth)
  if (kind === 5)
    return `[${Array.from({ length: random(4) }, () => randomValue(random, depth - 1)).join(',')}]`
  return pick(random, SCALARS)
}

const SCALARS = [
  ...['true', 'true', 'false', 'null', '0', '-0', '1e3', '1E-7', '12345678901234567890', '0.10', '1e400'],
  ...['""', '"\\u0000\\ud83d\\ude00\\uD800"', '"},{\\"id\\":1}"', '"\\\\"', '"é🜁\u2028"', '" \\r\\n"'],
]

function space(random: Random): string {
  return random(20) === 0 ? pick(random, [' ', '\t', '\r']) : ''
}

/** Returns `value` or, in one of eight cases, one of `others`. */
function mostly<T>(random: Random, value: T, others: readonly T[]): T {
  return random(8) === 0 ? pick(random, others) : value
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)]!
}
