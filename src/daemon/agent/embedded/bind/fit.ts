import type { Mention } from '../text/mention.ts'
import type { Parameter } from '../tools/signature.ts'
import { cueScore, sideScore } from './cues.ts'
import { fitNumber } from './fit-number.ts'
import { fitText } from './fit-text.ts'
import type { Fit, Scope } from './scope.ts'

/** Undefined when the mention cannot be a value of the parameter, or when the budget is used up. */
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
