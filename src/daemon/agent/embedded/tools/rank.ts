import { conceptsOf } from '../lexicon/concepts.ts'
import { FUNCTION_WORDS, GENERIC_WORDS } from '../lexicon/function-words.ts'
import { kindsOf } from '../lexicon/kinds.ts'
import type { Analysis, MentionKind } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import type { Token } from '../text/tokens.ts'
import type { Signature } from './signature.ts'

export interface RankedTool {
  signature: Signature
  /** Share of the tool that the text mentions (0 to 1.5), plus 1 if the text names the tool literally, minus its handicap. */
  score: number
}

const GENERIC_STEMS = new Set([...GENERIC_WORDS].map(stem))

/** The content of a part of the message. */
interface Content {
  /** Stems, and kinds of well-known things with a lower weight. */
  weights: ReadonlyMap<string, number>
  /** Groups of related words that the words of the content belong to. */
  concepts: ReadonlySet<number>
  /** Adjacent words joined: "check out" for "checkout". */
  joined: ReadonlySet<string>
}

/** Ranks tools by how much of their name and description the text mentions. */
export function rankTools(
  analysis: Analysis,
  signatures: Signature[],
  from = 0,
  to = analysis.tokens.length,
): RankedTool[] {
  const content = readContent(analysis, from, to)
  const rarity = rarityOf(signatures)
  const first = analysis.tokens[from]
  const spoken = first ? analysis.text.slice(first.start, analysis.tokens[to - 1]!.end) : ''
  return signatures
    .map(signature => ({
      signature,
      score: Math.max(
        0,
        scoreTool(content, signature, rarity) + calledByName(signature, spoken) - signature.handicap,
      ),
    }))
    .sort((a, b) => b.score - a.score)
}

/** Weight of an implied kind: "jazz" implies music, and "USD" implies a currency. */
const WEIGHT_OF_KIND = 0.6

/** Weight of a quoted word, which is usually the subject and rarely the action. */
const WEIGHT_OF_QUOTED = 0.4

function readContent(analysis: Analysis, from: number, to: number): Content {
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
    if (isQuoted(analysis, at)) {
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

/** Kinds that values imply by their form. */
const KINDS_OF_MENTIONS: Partial<Record<MentionKind, string[]>> = Object.fromEntries(
  Object.entries({
    currency: 'currency money',
    url: 'url page web link',
    email: 'email mail',
    path: 'path file',
    expression: 'function equation expression',
  }).map(([kind, words]) => [kind, words.split(' ').map(stem)]),
)

/** "12 + 30" implies a sum. */
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

/** Two currencies imply an exchange. */
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

/** True for a word in a URL, email address, path or quote. It does not describe the request. */
function isQuoted({ owners }: Analysis, at: number): boolean {
  const owner = owners[at]
  return owner !== undefined && QUOTING_KINDS.has(owner.kind)
}

const QUOTING_KINDS = new Set<MentionKind>(['quoted', 'url', 'email', 'path'])

/** 1 if the message names the tool explicitly ("use get_weather"), otherwise 0. */
function calledByName({ name }: Signature, spoken: string): number {
  const written = [name, name.replaceAll('_', '.')].some(
    text => /[_.:/A-Z-]/.test(text) && spoken.includes(text),
  )
  return written ? 1 : 0
}

type Rarity = (part: string) => number

const rarities = new WeakMap<Signature[], Rarity>()

/** Lower for stems that many tools share. */
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

/** Minimum rarity of a word in a tool's name, because even common verbs distinguish tools: create_task, complete_task. */
const MIN_RARITY_IN_NAME = 0.4

function scoreTool(content: Content, signature: Signature, rarity: Rarity): number {
  const name = coverage(content, signature.nameStems, part => Math.max(rarity(part), MIN_RARITY_IN_NAME))
  const description = coverage(content, signature.descriptionStems, rarity)
  const back = explainedShare(content, signature, rarity)
  return 0.6 * name + 0.5 * description + 0.4 * back
}

/** The weighted share of the stems that the text contains. Related words count for two thirds. */
function coverage(content: Content, stems: readonly string[], rarity: Rarity): number {
  let total = 0
  let hit = 0
  for (const part of stems) {
    if (FUNCTION_WORDS.has(part)) continue
    const weight = rarity(part)
    total += weight
    hit += weight * nearness(content, part)
  }
  return total === 0 ? 0 : hit / total
}

function nearness({ weights, concepts, joined }: Content, part: string): number {
  const known = weights.get(part)
  if (known !== undefined) return known
  if (joined.has(part)) return 1
  return conceptsOf(part).some(concept => concepts.has(concept)) ? 0.65 : 0
}

/** The share of the text that the tool covers. */
function explainedShare(content: Content, signature: Signature, rarity: Rarity): number {
  let total = 0
  let hit = 0
  for (const [part, share] of content.weights) {
    if (share < 1) continue
    const weight = rarity(part)
    total += weight
    if (signature.vocabulary.has(part)) hit += weight
    else if (conceptsOf(part).some(concept => signature.concepts.has(concept))) hit += weight * 0.65
  }
  return total === 0 ? 0 : hit / total
}
