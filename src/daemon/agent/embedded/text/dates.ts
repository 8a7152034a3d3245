import type { ParsedComponents, ParsedResult } from 'chrono-node'
import type { DateTime, Mention } from './mention.ts'
import { textOf, tokenAt } from './mention.ts'
import type { Token } from './tokens.ts'

export type DateFinder = (text: string, tokens: Token[]) => Mention[]

const CUES = new Set(
  (
    'january february march april may june july august september october november december ' +
    'jan feb mar apr jun jul aug sep sept oct nov dec ' +
    'monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun ' +
    'today tonight tomorrow yesterday morning afternoon evening noon midnight weekend ago am pm ' +
    'a.m p.m next last'
  ).split(' '),
)
const PERIODS = new Set(
  'day week month year weekend quarter hour minute'.split(' ').flatMap(word => [word, `${word}s`]),
)

/** Number of tokens to parse before and after a cue. Parsing the whole text would take longer than linear time. */
const BEFORE = 5
const AFTER = 8
const MAX_WINDOWS = 24

/** Loads chrono-node's English rules. Relative expressions count from `reference`. */
export async function loadDateFinder(reference: Date): Promise<DateFinder> {
  const { casual } = await import('chrono-node/en')
  const ref = { instant: reference, timezone: 0 }
  return (text, tokens) =>
    windowsOf(tokens).flatMap(([from, to]) => {
      const start = tokens[from]!.start
      const part = withoutDots(text.slice(start, tokens[to - 1]!.end))
      return casual.parse(part, ref).flatMap(result => toMention(text, tokens, start, result))
    })
}

/** "March.11, 2022": the parser needs a space. The length stays the same. */
function withoutDots(text: string): string {
  return text.replace(/([A-Za-z]{3})\.(?=\d)/g, '$1 ')
}

function windowsOf(tokens: Token[]): [number, number][] {
  const windows: [number, number][] = []
  tokens.forEach((_, at) => {
    if (!isCue(tokens, at)) return
    const last = windows.at(-1)
    const from = Math.max(0, at - BEFORE)
    const to = Math.min(tokens.length, at + AFTER)
    if (last && from <= last[1] && to - last[0] < 48) last[1] = to
    else if (windows.length < MAX_WINDOWS) windows.push([Math.max(from, last?.[1] ?? 0), to])
  })
  return windows.filter(([from, to]) => from < to)
}

/** A calendar word, or digits with date or time separators: 2022-03-10, 10/12/2022, 14:30. */
function isCue(tokens: Token[], at: number): boolean {
  const token = tokens[at]!
  if (token.kind === 'word') {
    if (token.lower === 'next' || token.lower === 'last')
      return PERIODS.has(tokens[at + 1]?.lower ?? '') || CUES.has(tokens[at + 1]?.lower ?? '')
    if (token.lower === 'may' || token.lower === 'march') return token.capital && isNextToNumber(tokens, at)
    return CUES.has(token.lower)
  }
  const next = tokens[at + 1]
  return (
    token.kind === 'number' &&
    next !== undefined &&
    next.glued &&
    '-/:.'.includes(next.text) &&
    tokens[at + 2]?.kind === 'number'
  )
}

function isNextToNumber(tokens: Token[], at: number): boolean {
  return (
    [at - 2, at - 1, at + 1, at + 2].some(i => tokens[i]?.kind === 'number') || tokens[at - 1]?.lower === 'in'
  )
}

function toMention(text: string, tokens: Token[], offset: number, result: ParsedResult): Mention[] {
  const start = offset + result.index
  const end = start + result.text.length
  const from = tokenAt(tokens, start)
  const to = tokenAt(tokens, end)
  if (from >= to || isDuration(result.text) || !isPlausible(result, tokens.slice(from, to))) return []
  const first = toDateTime(result.start)
  if (!result.end) return [dateMention(text, tokens, from, to, first)]
  const middle = tokens.findIndex((token, i) => i > from && i < to && BETWEEN.has(token.lower))
  const second = { ...first, ...definedFields(toDateTime(result.end)) }
  if (middle < 0) return [dateMention(text, tokens, from, to, first)]
  return [dateMention(text, tokens, from, middle, first), dateMention(text, tokens, middle + 1, to, second)]
}

const BETWEEN = new Set(['to', 'until', 'till', 'through', 'and', '-', '–', '—'])

function dateMention(text: string, tokens: Token[], from: number, to: number, dateTime: DateTime): Mention {
  const start = LEADING_WORDS.has(tokens[from]!.lower) && to - from > 1 ? from + 1 : from
  const end = to - 1 > start && tokens[to - 1]!.text === ',' ? to - 1 : to
  return { kind: 'date', from: start, to: end, text: textOf(text, tokens, start, end), dateTime }
}

const LEADING_WORDS = new Set(['at', 'on', 'in', 'from', 'by', 'this'])

function definedFields(dateTime: DateTime): Partial<DateTime> {
  return Object.fromEntries(Object.entries(dateTime).filter(([, value]) => value !== undefined))
}

/** "For 3 days", "the last 2 years": a duration, not a date. */
function isDuration(text: string): boolean {
  return /^(?:for|within|over|during|about|(?:the )?(?:next|past|last|coming))\s+(?:\d|an?\b|one|two|three|four|five|six|seven|eight|nine|ten|few|several)/i.test(
    text,
  )
}

/** Rejects decimals, scores and ranges, which a lenient parser takes for dates. */
function isPlausible(result: ParsedResult, tokens: Token[]): boolean {
  if (tokens.some(token => token.kind === 'word'))
    return !/^(?:sun|sat|mar|may|second|now)$/i.test(result.text)
  const numbers = tokens.filter(token => token.kind === 'number')
  return (
    result.text.includes(':') ||
    (numbers.length === 3 && numbers.some(token => token.text.length === 4 || token.text.length === 2))
  )
}

const FIELDS = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const

function toDateTime(components: ParsedComponents): DateTime {
  const certain = new Set<string>(FIELDS.filter(field => components.isCertain(field)))
  if (components.isCertain('weekday')) certain.add('weekday')
  const values = Object.fromEntries(FIELDS.map(field => [field, components.get(field) ?? undefined]))
  const timeless = !certain.has('hour')
  const tags = [...((components as { tags?: () => Set<string> }).tags?.() ?? [])]
  return {
    ...values,
    ...(timeless && { hour: undefined, minute: undefined, second: undefined }),
    certain,
    relative: isRelative(certain, tags),
  }
}

/** True for a weekday alone and for an offset from now. */
function isRelative(certain: ReadonlySet<string>, tags: string[]): boolean {
  if (certain.has('weekday') && !certain.has('month')) return true
  return tags.some(
    tag => tag.includes('relative') || tag.includes('casualDate') || tag.includes('CasualDate'),
  )
}
