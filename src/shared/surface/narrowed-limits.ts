import { sameJson } from './same-json.ts'
import type { Schema } from './schema-view.ts'

/** Keywords whose larger value allows less. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
/** Keywords whose smaller value allows less. */
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
/** Keywords of which another value may allow less. */
const OTHERS = ['pattern', 'format', 'multipleOf'] as const

/** Limits of the version after that refuse what the version before took. */
export function narrowedLimits(
  path: string,
  before: Schema,
  after: Schema,
): { path: string; message: string }[] {
  const tell = (word: string) => ({
    path,
    message:
      before[word] === undefined
        ? `has a ${word} now: ${JSON.stringify(after[word])}`
        : `has the ${word} ${JSON.stringify(after[word])} instead of ${JSON.stringify(before[word])}`,
  })
  const narrowed = [
    ...LOWER_BOUNDS.filter(word => numberOf(after, word, -Infinity) > numberOf(before, word, -Infinity)),
    ...UPPER_BOUNDS.filter(word => numberOf(after, word, Infinity) < numberOf(before, word, Infinity)),
    ...OTHERS.filter(word => after[word] !== undefined && !sameJson(before[word], after[word])),
  ].filter(word => !isTrivial(word, after[word]))
  const told = narrowed.map(tell)
  return after.uniqueItems === true && before.uniqueItems !== true
    ? [...told, { path, message: 'takes no equal items any more' }]
    : told
}

/** `minLength: 0` and its like say what holds anyway. */
function isTrivial(word: string, value: unknown): boolean {
  return value === 0 && ['minLength', 'minItems', 'minProperties'].includes(word)
}

function numberOf(schema: Schema, word: string, otherwise: number): number {
  return typeof schema[word] === 'number' ? schema[word] : otherwise
}
