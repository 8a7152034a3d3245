import { sameJson } from './same-json.ts'
import type { Schema } from './schema-view.ts'
import { breaking, type SurfaceChange } from './surface-change.ts'

/** Keywords that become stricter when their value grows. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const
/** Keywords that become stricter when their value shrinks. */
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const
/** Keywords that may become stricter when their value changes. */
const OTHER_LIMITS = ['pattern', 'format', 'multipleOf'] as const

/** Limits that reject values that the previous version accepted. */
export function narrowedLimits(path: string, before: Schema, after: Schema): SurfaceChange[] {
  const narrowed = [
    ...LOWER_BOUNDS.filter(word => numberOf(after, word, -Infinity) > numberOf(before, word, -Infinity)),
    ...UPPER_BOUNDS.filter(word => numberOf(after, word, Infinity) < numberOf(before, word, Infinity)),
    ...OTHER_LIMITS.filter(word => after[word] !== undefined && !sameJson(before[word], after[word])),
  ].filter(word => !isTrivial(word, after[word]))
  const messages = narrowed.map(word =>
    before[word] === undefined
      ? `now has ${word} ${JSON.stringify(after[word])}`
      : `has ${word} ${JSON.stringify(after[word])} instead of ${JSON.stringify(before[word])}`,
  )
  if (after.uniqueItems === true && before.uniqueItems !== true)
    messages.push('no longer accepts duplicate items')
  return messages.map(message => breaking(path, message))
}

/** `minLength: 0` and similar limits have no effect. */
function isTrivial(word: string, value: unknown): boolean {
  return value === 0 && ['minLength', 'minItems', 'minProperties'].includes(word)
}

function numberOf(schema: Schema, word: string, otherwise: number): number {
  return typeof schema[word] === 'number' ? schema[word] : otherwise
}
