import type { Token } from './tokens.ts'

/** What a message says of a number besides its value. */
export interface Quantity {
  value: number
  /** Name of the unit in the table of units: "kilometer", "usd", "percent". */
  unit?: string
  /** "19th", "third". */
  ordinal?: boolean
  /** Written in words: "three". */
  inWords?: boolean
  /** "Next month": one, but nobody said so. */
  implied?: boolean
}

/** A date, a time of day or both; what the message leaves open is undefined. */
export interface Moment {
  year?: number
  month?: number
  day?: number
  hour?: number
  minute?: number
  second?: number
  /** "next Friday": the message names a distance from now, the fields were computed from the reference date. */
  relative: boolean
  /** The fields that the message itself names. */
  certain: ReadonlySet<string>
}

export type MentionKind =
  | 'quoted'
  | 'literal'
  | 'number'
  | 'moment'
  | 'url'
  | 'email'
  | 'path'
  | 'code'
  | 'expression'
  | 'currency'
  | 'unit'
  | 'name'
  | 'phrase'
  | 'passage'

/** A stretch of the message that may be the value of an argument. Token indices, end exclusive. */
export interface Mention {
  kind: MentionKind
  from: number
  to: number
  text: string
  quantity?: Quantity
  moment?: Moment
  /** Of a literal: the array or object that is written out in the message. */
  value?: unknown
  place?: boolean
  person?: boolean
  organization?: boolean
  /** Of a passage: how surely a text begins there. */
  strength?: number
  /** Of a currency: its ISO 4217 code. */
  code?: string
  /** Of "German": the country. */
  country?: string
  /** "Paris, France": the larger place behind the comma. */
  region?: string
  /** The name without the larger place. */
  core?: string
}

/** The message, cut and looked at once; everything later works on this. */
export interface Analysis {
  text: string
  tokens: Token[]
  /** Part-of-speech tags of each token. */
  tags: ReadonlySet<string>[]
  mentions: Mention[]
  /** How many pairs of a parameter and a mention may still be looked at: what bounds the time of one message. */
  budget: { left: number }
  /** The numbers inside of literals, for tools that take no arrays. */
  inner: Mention[]
  /** Mentions that commas and "and" join. */
  lists: Mention[][]
  /** Of each token the value it is part of: a number, a quote, a date … Names and phrases are not counted. */
  owners: (Mention | undefined)[]
}

/** The text between two tokens, as the message has it. */
export function textOf(text: string, tokens: Token[], from: number, to: number): string {
  const first = tokens[from]
  const last = tokens[to - 1]
  return first && last ? text.slice(first.start, last.end) : ''
}

/** Index of the first token that starts at the offset or behind it. */
export function tokenAt(tokens: Token[], offset: number): number {
  let low = 0
  let high = tokens.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (tokens[middle]!.start < offset) low = middle + 1
    else high = middle
  }
  return low
}
