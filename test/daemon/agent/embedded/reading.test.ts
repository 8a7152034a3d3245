import { beforeAll, expect, test } from 'vitest'
import { loadReader, type Reader } from '../../../../src/daemon/agent/embedded/text/analyse.ts'
import type { Mention, MentionKind } from '../../../../src/daemon/agent/embedded/text/mention.ts'
import { identifierWords, stem } from '../../../../src/daemon/agent/embedded/text/stem.ts'

let read: Reader

beforeAll(async () => {
  read = await loadReader(new Date('2025-01-01T12:00:00Z'))
})

function mentions(kind: MentionKind, message: string): Mention[] {
  return read(message).mentions.filter(mention => mention.kind === kind)
}

function texts(kind: MentionKind, message: string): string[] {
  return mentions(kind, message).map(({ text }) => text)
}

function quantities(message: string): unknown[] {
  return mentions('number', message).map(({ quantity }) => [quantity!.value, quantity!.unit])
}

test('numbers include their units, scales and currency signs', () => {
  expect(quantities('5 km at 20 m/s^2, 3.5% of $1,200, 2 million euros and -4 °C')).toEqual([
    [5, 'kilometer'],
    [20, 'meter-per-second-squared'],
    [3.5, 'percent'],
    [1200, 'usd'],
    [2_000_000, 'eur'],
    [-4, 'celsius'],
  ])
})

test('all numbers in a list get the unit of the last one', () => {
  expect(quantities('for 5, 10 and 15 years')).toEqual([
    [5, 'year'],
    [10, 'year'],
    [15, 'year'],
  ])
})

test('numbers in words count, but bullets and pronouns do not', () => {
  expect(quantities('1. Book three deps. 2. The first one has twenty-one seats')).toContainEqual([
    3,
    undefined,
  ])
  expect(quantities('1. Book three deps. 2. The first one has twenty-one seats')).toContainEqual([
    21,
    undefined,
  ])
  expect(mentions('number', '1. Book deps. 2. Take this one')).toEqual([])
})

test('apostrophes do not open quotes', () => {
  expect(texts('quoted', "It's Ana's book 'The sea, the sea' and \"Don't go\"")).toEqual([
    'The sea, the sea',
    "Don't go",
  ])
})

test('email addresses, URLs, paths, codes and expressions are recognized', () => {
  expect(texts('email', 'Write to ana@example.com.')).toEqual(['ana@example.com'])
  expect(texts('url', 'See https://example.org/a?b=1, please')).toEqual(['https://example.org/a?b=1'])
  expect(texts('path', 'Open ./src/main.ts and C:/data/cars.csv')).toEqual([
    './src/main.ts',
    'C:/data/cars.csv',
  ])
  expect(texts('code', 'Order ORD-1042 of acme/website')).toEqual(['ORD-1042', 'acme/website'])
  expect(texts('expression', 'Derive 3x^2 + 2x - 1 at 4')).toEqual(['3x^2 + 2x - 1'])
})

test('arrays and objects are parsed leniently', () => {
  const values = mentions('literal', "sort [3, 1, 2], merge {'a': 1, b: [true, None]}, from (40.7, -74.0)")
  expect(values.map(({ value }) => value)).toEqual([[3, 1, 2], { a: 1, b: [true, null] }, [40.7, -74]])
})

test('dates are read with their specified fields', () => {
  const [from, to] = mentions('date', 'from March 10, 2022 to March 20, 2022')
  expect(from?.dateTime).toMatchObject({ year: 2022, month: 3, day: 10, relative: false })
  expect(to?.dateTime).toMatchObject({ year: 2022, month: 3, day: 20 })
  const [tomorrow] = mentions('date', 'remind me tomorrow at 15:30')
  expect(tomorrow?.dateTime).toMatchObject({ year: 2025, month: 1, day: 2, hour: 15, minute: 30 })
})

test('durations are not dates', () => {
  expect(mentions('date', 'for 3 days, over the last 2 years')).toEqual([])
})

test('names include small words, and place names include their region', () => {
  expect(texts('name', 'the Museum of Modern Art in Austin, TX')).toEqual([
    'Museum of Modern Art',
    'Austin, TX',
  ])
  const [austin] = mentions('name', 'houses in Austin, TX')
  expect(austin).toMatchObject({ core: 'Austin', region: 'TX', place: true })
})

test('commas and "and" separate the items of a list', () => {
  const { lists } = read('the weather in Rome, Vienna and Prague')
  expect(lists.map(list => list.map(({ text }) => text))).toEqual([['Rome', 'Vienna', 'Prague']])
})

test('two pairs are not a list', () => {
  expect(read('convert USD to AUD and USD to CAD').lists).toEqual([])
})

test('related words share a stem', () => {
  for (const family of [
    ['calculate', 'calculates', 'calculation', 'calculator', 'calculating'],
    ['city', 'cities'],
    ['box', 'boxes'],
    ['translate', 'translation'],
  ])
    expect(new Set(family.map(stem)).size, family.join()).toBe(1)
})

test('identifiers are split into words', () => {
  expect(identifierWords('getUserInfo_by-ID2.now')).toEqual(['get', 'user', 'info', 'by', 'id', '2', 'now'])
  expect(identifierWords('HTTPServer')).toEqual(['http', 'server'])
})
