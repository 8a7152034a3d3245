import type { Mention } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'
import { cueScore, sideScore } from './cues.ts'
import { fitNumber } from './fit-number.ts'
import { fitText } from './fit-text.ts'
import type { Scope } from './scope.ts'

/** How well a mention serves as the value of a parameter, and the value it would give. */
export interface Fit {
  score: number
  value: unknown
  /** Which part of a place the value is: city and country may come from one mention. */
  part?: 'core' | 'region'
  /** The words that make the value, where they are fewer than those of the mention. */
  spot?: { from: number; to: number }
}

/** Undefined when the mention cannot be a value of the parameter at all. */
export function fitMention(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  if (scope.analysis.budget.left-- <= 0) return undefined
  const found = fitType(scope, parameter, mention)
  if (!found) return undefined
  const spot = found.spot ? { ...mention, ...found.spot } : mention
  const score = found.score + cueScore(scope, parameter, spot) + 2 * sideScore(scope, parameter, mention)
  return { ...found, score }
}

function fitType(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  switch (parameter.type) {
    case 'number':
    case 'integer':
      return fitNumber(scope, parameter, mention)
    case 'array':
      return fitLiteral(parameter, mention, Array.isArray(mention.value))
    case 'object':
      return fitLiteral(
        parameter,
        mention,
        !Array.isArray(mention.value) && typeof mention.value === 'object',
      )
    case 'boolean':
      return undefined
    default:
      return fitText(scope, parameter, mention)
  }
}

function fitLiteral(parameter: Parameter, mention: Mention, matches: boolean): Fit | undefined {
  if (mention.kind !== 'literal' || !matches) return undefined
  if (!Array.isArray(mention.value)) return { score: 3, value: mention.value }
  const type = parameter.items?.type
  const nested = mention.value.some(part => Array.isArray(part))
  if (nested !== (type === 'array') && type !== 'any' && type !== undefined) return undefined
  const value = type === 'string' ? mention.value.map(String) : mention.value
  const numeric = value.every(part => typeof part === 'number')
  if ((type === 'number' || type === 'integer') && !numeric) return undefined
  return { score: 3, value }
}
