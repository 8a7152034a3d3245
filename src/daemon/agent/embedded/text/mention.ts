import type { Token } from './tokens.ts'

/** A number with its unit and form. */
export interface Quantity {
  value: number
  /** Name of the unit in the table of units: "kilometer", "usd", "percent". */
  unit?: string
  /** "19th", "third". */
  ordinal?: boolean
  /** Written in words: "three". */
  inWords?: boolean
  /** "Next month": an implied 1. */
  implied?: boolean
}

/** A date, a time of day or both. Unspecified fields are undefined. */
export interface DateTime {
  year?: number
  month?: number
  day?: number
  hour?: number
  minute?: number
  second?: number
  /** Relative dates ("next Friday") are computed from the reference date. */
  relative: boolean
  /** Fields that the message specifies. */
  certain: ReadonlySet<string>
}

export type MentionKind =
  | 'quoted'
  | 'literal'
  | 'number'
  | 'date'
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

/** A part of the message that may be the value of an argument. Token indices, end exclusive. */
export interface Mention {
  kind: MentionKind
  from: number
  to: number
  text: string
  quantity?: Quantity
  dateTime?: DateTime
  /** Parsed array or object of a literal. */
  value?: unknown
  place?: boolean
  person?: boolean
  organization?: boolean
  /** Certainty that a passage starts here. */
  strength?: number
  /** Code of a currency, such as `USD`. */
  code?: string
  /** Country of a demonym ("German"). */
  country?: string
  /** The larger place after the comma in "Paris, France". */
  region?: string
  /** The name without the larger place. */
  core?: string
}

/** The result of reading a message, used by all later steps. */
export interface Analysis {
  text: string
  tokens: Token[]
  /** Part-of-speech tags of each token. */
  tags: ReadonlySet<string>[]
  mentions: Mention[]
  /** Remaining number of parameter-mention pairs to compare, which limits the time per message. */
  budget: { left: number }
  /** Numbers inside literals, for tools without array or object parameters. */
  inner: Mention[]
  /** Mentions joined by commas and "and". */
  lists: Mention[][]
  /** The value that each token is part of: a number, a quote, a date … Names and phrases do not count. */
  owners: (Mention | undefined)[]
}

/** The original text between two tokens. */
export function textOf(text: string, tokens: Token[], from: number, to: number): string {
  const first = tokens[from]
  const last = tokens[to - 1]
  return first && last ? text.slice(first.start, last.end) : ''
}

/** Index of the first token that starts at or after the offset. */
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
