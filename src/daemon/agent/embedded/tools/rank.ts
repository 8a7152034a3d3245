import { conceptsOf } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import { kindsOf } from '../lexicon/kinds.ts'
import type { Analysis, MentionKind } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import type { Token } from '../text/tokens.ts'
import type { Signature } from './signature.ts'

export interface Ranked {
  signature: Signature
  /** Share of what the tool is about that the stretch speaks of; about 0 to 1.5. */
  score: number
}

const GENERIC_STEMS = new Set([...GENERIC_WORDS].map(stem))

/** What a stretch of a message speaks of. */
interface Said {
  /** Stems, and the kinds of well-known things at less weight. */
  weights: ReadonlyMap<string, number>
  /** The groups of related words that its own words belong to. */
  concepts: ReadonlySet<number>
  /** Neighbours written as one: "check out" for "checkout". */
  joined: ReadonlySet<string>
}

/** Tools by how much of their name and description a stretch of the message names. */
export function rankTools(
  analysis: Analysis,
  signatures: Signature[],
  from = 0,
  to = analysis.tokens.length,
): Ranked[] {
  const said = readSaid(analysis, from, to)
  const rarity = rarityOf(signatures)
  const first = analysis.tokens[from]
  const spoken = first ? analysis.text.slice(first.start, analysis.tokens[to - 1]!.end) : ''
  return signatures
    .map(signature => ({
      signature,
      score: Math.max(
        0,
        scoreTool(said, signature, rarity) + calledByName(signature, spoken) - signature.handicap,
      ),
    }))
    .sort((a, b) => b.score - a.score)
}

/** "Jazz" speaks of music, "USD" of a currency. */
const WEIGHT_OF_KIND = 0.6

/** What is quoted speaks of the subject, seldom of what is to be done. */
const WEIGHT_OF_QUOTED = 0.4

function readSaid(analysis: Analysis, from: number, to: number): Said {
  const weights = new Map<string, number>()
  const concepts = new Set<number>()
  const joined = new Set<string>()
  const quoted: string[] = []
  const kinds = mentionKinds(analysis, from, to)
  for (let at = from; at < to; at++) {
    const token = analysis.tokens[at]!
    const before = analysis.tokens[at - 1]
    if (token.kind === 'word' && before?.kind === 'word' && at > from)
      joined.add(stem(before.lower + token.lower))
    if (token.kind !== 'word' || FUNCTION_WORDS.has(token.lower)) continue
    if (isQuotedAway(analysis, at)) {
      quoted.push(...token.stems)
      continue
    }
    for (const part of token.stems) {
      weights.set(part, 1)
      for (const concept of conceptsOf(part)) concepts.add(concept)
      kinds.push(...kindsOf(part))
    }
  }
  for (const kind of kinds) if (!weights.has(kind)) weights.set(kind, WEIGHT_OF_KIND)
  for (const part of quoted) if (!weights.has(part)) weights.set(part, WEIGHT_OF_QUOTED)
  return { weights, concepts, joined }
}

/** What values speak of by their mere form. */
const KINDS_OF_MENTIONS: Partial<Record<MentionKind, string[]>> = Object.fromEntries(
  Object.entries({
    currency: 'currency money',
    url: 'url page web link',
    email: 'email mail',
    path: 'path file',
    expression: 'function equation expression',
  }).map(([kind, words]) => [kind, words.split(' ').map(stem)]),
)

/** "12 + 30" asks for a sum. */
const OPERATIONS: Record<string, string[]> = {
  '+': ['add', 'sum', 'plus'].map(stem),
  '*': ['multiply', 'product'].map(stem),
  '×': ['multiply', 'product'].map(stem),
  '/': ['divide', 'quotient'].map(stem),
}

function operationsIn(tokens: Token[], from: number, to: number): string[] {
  const found: string[] = []
  for (let at = from + 1; at < to - 1; at++) {
    const operation = OPERATIONS[tokens[at]!.text]
    if (operation && tokens[at - 1]!.kind === 'number' && tokens[at + 1]!.kind === 'number')
      found.push(...operation)
  }
  return found
}

/** Two currencies in one breath are exchanged. */
const EXCHANGE = ['convert', 'conversion', 'exchange'].map(stem)

function mentionKinds({ mentions, tokens }: Analysis, from: number, to: number): string[] {
  const within = mentions.filter(mention => mention.from >= from && mention.to <= to)
  const codes = new Set(within.map(({ code }) => code).filter(Boolean))
  return [
    ...operationsIn(tokens, from, to),
    ...within.flatMap(({ kind }) => KINDS_OF_MENTIONS[kind] ?? []),
    ...(codes.size > 1 ? EXCHANGE : []),
  ]
}

/** The words of an address, a path or a quote are no words of the request. */
function isQuotedAway({ owners }: Analysis, at: number): boolean {
  const owner = owners[at]
  return owner !== undefined && AWAY.has(owner.kind)
}

const AWAY = new Set<MentionKind>(['quoted', 'url', 'email', 'path'])

/** Who writes "use get_weather" has chosen. */
function calledByName({ name }: Signature, spoken: string): number {
  const written = [name, name.replaceAll('_', '.')].some(
    text => /[_.:/A-Z-]/.test(text) && spoken.includes(text),
  )
  return written ? 1 : 0
}

type Rarity = (part: string) => number

const rarities = new WeakMap<Signature[], Rarity>()

/** A stem that many of the offered tools share tells them apart badly. */
function rarityOf(signatures: Signature[]): Rarity {
  const known = rarities.get(signatures)
  if (known) return known
  const counts = new Map<string, number>()
  for (const { vocabulary } of signatures)
    for (const part of vocabulary) counts.set(part, (counts.get(part) ?? 0) + 1)
  const total = signatures.length
  const rarity = (part: string) => {
    const generic = GENERIC_STEMS.has(part) ? 0.25 : 1
    const share = total > 1 ? 1 - 0.75 * (((counts.get(part) ?? 1) - 1) / total) : 1
    return generic * share
  }
  rarities.set(signatures, rarity)
  return rarity
}

/** In names the verbs tell tools apart: create_task, complete_task. */
const LEAST_IN_NAME = 0.4

function scoreTool(said: Said, signature: Signature, rarity: Rarity): number {
  const name = coverage(said, signature.nameStems, part => Math.max(rarity(part), LEAST_IN_NAME))
  const description = coverage(said, signature.descriptionStems, rarity)
  const back = explained(said, signature, rarity)
  return 0.6 * name + 0.5 * description + 0.4 * back
}

/** The weighted share of the stems that were said, related words at two thirds. */
function coverage(said: Said, stems: readonly string[], rarity: Rarity): number {
  let total = 0
  let hit = 0
  for (const part of stems) {
    if (FUNCTION_WORDS.has(part)) continue
    const weight = rarity(part)
    total += weight
    hit += weight * nearness(said, part)
  }
  return total === 0 ? 0 : hit / total
}

function nearness({ weights, concepts, joined }: Said, part: string): number {
  const known = weights.get(part)
  if (known !== undefined) return known
  if (joined.has(part)) return 1
  return conceptsOf(part).some(concept => concepts.has(concept)) ? 0.65 : 0
}

/** The share of what was said that the tool speaks of. */
function explained(said: Said, signature: Signature, rarity: Rarity): number {
  let total = 0
  let hit = 0
  for (const [part, share] of said.weights) {
    if (share < 1) continue
    const weight = rarity(part)
    total += weight
    if (signature.vocabulary.has(part)) hit += weight
    else if (conceptsOf(part).some(concept => signature.concepts.has(concept))) hit += weight * 0.65
  }
  return total === 0 ? 0 : hit / total
}
