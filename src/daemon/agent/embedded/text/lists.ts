import type { Mention, MentionKind } from './mention.ts'
import type { Token } from './tokens.ts'

const RANK: MentionKind[] = [
  'quoted',
  'literal',
  'url',
  'email',
  'path',
  'expression',
  'date',
  'code',
  'currency',
  'unit',
  'number',
  'name',
  'phrase',
]

/** Demonyms ("German") rank last, because they belong to the words after them. Phrases with "of" rank after their parts. */
function surfaceRank(mention: Mention): number {
  if (mention.country) return RANK.length + 1
  return RANK.indexOf(mention.kind) + (mention.kind === 'phrase' && / of /.test(mention.text) ? 0.5 : 0)
}

/** Mentions without overlaps, in the order of the message. Prefers the more certain kind, then the longer mention. */
function surfaceOf(mentions: Mention[]): Mention[] {
  const kept: Mention[] = []
  const sorted = [...mentions].sort(
    (a, b) => surfaceRank(a) - surfaceRank(b) || b.to - b.from - (a.to - a.from) || a.from - b.from,
  )
  const taken = new Set<number>()
  for (const mention of sorted) {
    let free = true
    for (let at = mention.from; at < mention.to && free; at++) free = !taken.has(at)
    if (!free) continue
    kept.push(mention)
    for (let at = mention.from; at < mention.to; at++) taken.add(at)
  }
  return kept.sort((a, b) => a.from - b.from)
}

/** Two or more mentions of one kind joined by commas, "and" or "or": "Paris, Rome and Berlin". */
export function findLists(mentions: Mention[], tokens: Token[]): Mention[][] {
  const lists: Mention[][] = []
  let current: Mention[] = []
  const flush = () => {
    if (current.length > 2 || (current.length === 2 && isExplicitList(current, tokens))) lists.push(current)
    current = []
  }
  for (const mention of surfaceOf(mentions)) {
    const last = current.at(-1)
    if (last && !(areAlike(last, mention) && areJoined(last, mention, tokens))) flush()
    current.push(mention)
  }
  flush()
  return lists
}

/**
 * True if a conjunction joins the mentions, or if they are numbers or quoted. For other kinds, a comma alone usually marks an
 * apposition, not a list: "a city, Rome".
 */
function isExplicitList([a, b]: Mention[], tokens: Token[]): boolean {
  const between = tokens.slice(a!.to, b!.from).map(token => token.lower)
  return (
    a!.kind === 'number' || a!.kind === 'quoted' || ['and', 'or', '&'].some(word => between.includes(word))
  )
}

function areAlike(a: Mention, b: Mention): boolean {
  if (a.kind === b.kind) {
    if (a.kind !== 'number') return true
    if (a.quantity!.ordinal !== b.quantity!.ordinal) return false
    return a.quantity!.unit === b.quantity!.unit || !b.quantity!.unit || !a.quantity!.unit
  }
  return WORDY.has(a.kind) && WORDY.has(b.kind)
}

const WORDY = new Set<MentionKind>(['name', 'phrase', 'code'])
const COMMAS = new Set([',', 'and', 'or', '&'])
const ARTICLES = new Set(['a', 'an', 'the'])

function areJoined(a: Mention, b: Mention, tokens: Token[]): boolean {
  const between = tokens.slice(a.to, b.from).map(token => token.lower)
  if (between.length === 0 || between.length > 4) return false
  if (
    !between.some(word => COMMAS.has(word)) ||
    !between.every(word => COMMAS.has(word) || ARTICLES.has(word))
  )
    return false
  if (isPairs(a, b, tokens)) return false
  if (a.kind === 'phrase' && b.kind === 'name' && between.every(word => word === ',')) return false
  const article = ARTICLES.has(tokens[b.from - 1]!.lower)
  if (b.kind === 'number' && article) return false
  if (a.kind !== b.kind && (a.place || b.place || a.person || b.person)) return false
  if (b.kind === 'phrase' && article && !ARTICLES.has(tokens[a.from - 1]?.lower ?? '')) return false
  return tokens[a.from]!.sentence === tokens[b.from]!.sentence
}

/** True if "and" joins two pairs rather than its neighbours: "USD to AUD and USD to CAD". */
function isPairs(a: Mention, b: Mention, tokens: Token[]): boolean {
  return ARROWS.has(tokens[a.from - 1]?.lower ?? '') && ARROWS.has(tokens[b.to]?.lower ?? '')
}

const ARROWS = new Set(['to', 'into', '->', '→', 'vs', 'versus', 'with'])
