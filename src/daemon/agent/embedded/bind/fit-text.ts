import { FUNCTION_WORDS } from '../lexicon/function-words.ts'
import { isMember } from '../lexicon/kinds.ts'
import { isYearRange } from '../text/codes.ts'
import type { Mention } from '../text/mention.ts'
import { textOf } from '../text/mention.ts'
import { stem } from '../text/stem.ts'
import { unitNamed, unitOf } from '../text/units.ts'
import type { Parameter } from '../tools/signature.ts'
import { fitDateText, isDated } from './fit-date.ts'
import { fitName } from './fit-name.ts'
import { countsThings } from './fit-number.ts'
import { fitPhrase, novelty } from './fit-phrase.ts'
import type { Fit, Scope } from './scope.ts'

export function fitText(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  if (parameter.namedRoles.has('unit')) return fitUnit(scope, parameter, mention)
  if (parameter.namedRoles.has('currency')) return fitCurrency(parameter, mention)
  const { text } = mention
  switch (mention.kind) {
    case 'quoted':
      return fitQuoted(parameter, mention)
    case 'url':
      return { score: parameter.roles.has('url') ? 4 : 0.6, value: text }
    case 'email':
      return { score: emailScore(parameter), value: text }
    case 'path':
      return { score: parameter.roles.has('path') ? 3.5 : 0.8, value: text }
    case 'code':
      return fitCode(parameter, mention)
    case 'expression':
      return { score: parameter.roles.has('expression') ? 3.5 : -1, value: toAlgebra(text) }
    case 'number':
      return countsThings(scope, mention) ? undefined : fitNumberText(parameter, mention)
    case 'date':
      return fitDateText(parameter, mention)
    case 'name':
      return fitName(scope, parameter, mention)
    case 'phrase':
      return fitPhrase(scope, parameter, mention)
    case 'passage':
      return fitPassage(scope, parameter, mention)
    default:
      return undefined
  }
}

function emailScore({ roles, namedRoles }: Parameter): number {
  if (roles.has('email')) return 4
  if (namedRoles.has('identifier')) return -3
  return roles.has('person') ? 1.5 : -0.5
}

/** Passages fit only required parameters whose names denote text, unless the tool uses all of their content words. */
function fitPassage(scope: Scope, { namedRoles, required }: Parameter, mention: Mention): Fit | undefined {
  if (!namedRoles.has('text') || !required) return undefined
  const words = scope.analysis.tokens.slice(mention.from, mention.to)
  const common = words.every(({ lower, kind }) => kind === 'mark' || FUNCTION_WORDS.has(lower))
  if (!common && novelty(scope, words) === 0) return undefined
  return { score: mention.strength! + 0.1 * Math.min(words.length, 5), value: mention.text }
}

function fitQuoted(parameter: Parameter, mention: Mention): Fit {
  const { roles } = parameter
  const value = roles.has('expression') ? toAlgebra(mention.text) : mention.text
  let score = parameter.required ? 2.6 : 1.5
  if (isDated(parameter)) score -= 3
  if (parameter.namedRoles.has('identifier') && mention.text.includes(' ')) score -= 1
  if (roles.has('language') && !isMember('languag', stem(mention.text))) score -= 3
  return { score, value }
}

function fitUnit(scope: Scope, parameter: Parameter, mention: Mention): Fit | undefined {
  if (mention.kind === 'number')
    return parameter.side !== 'target' && (parameter.required || parameter.side)
      ? fitUnitOfNumber(scope, mention)
      : undefined
  const word = mention.text.split(' ').at(-1) ?? ''
  const unit = UNIT_KINDS.has(mention.kind) ? unitOf(word) : undefined
  if (!unit || (parameter.dimension && parameter.dimension !== unit.dimension)) return undefined
  return { score: 2.5, value: mention.text }
}

const UNIT_KINDS = new Set(['phrase', 'name', 'unit'])

/** The unit of "10 kilometers". */
function fitUnitOfNumber({ analysis }: Scope, mention: Mention): Fit | undefined {
  const { unit } = mention.quantity!
  if (!unit || unitNamed(unit)!.dimension === 'money' || unit === 'percent') return undefined
  const start = mention.to - 1
  const first = analysis.tokens.findIndex(
    (token, at) => at > mention.from && at <= start && token.kind === 'word',
  )
  return first < 0
    ? undefined
    : { score: 1.4, value: textOf(analysis.text, analysis.tokens, first, mention.to) }
}

function fitCurrency(parameter: Parameter, mention: Mention): Fit | undefined {
  if (mention.kind === 'currency') return { score: 3, value: mention.code }
  return mention.kind === 'quoted' && parameter.required ? { score: 1, value: mention.text } : undefined
}

function fitCode(parameter: Parameter, mention: Mention): Fit {
  const value = mention.text
  const zoned = parameter.nameStems.includes('timezon') || parameter.nameStems.includes('zone')
  if (TIME_ZONE.test(value)) return { score: zoned ? 4 : -1, value }
  const part = partOfSlug(parameter, value)
  if (part) return part
  if (isYearRange(value)) return { score: parameter.roles.has('year') ? 3.5 : -0.5, value }
  if (isDated(parameter)) return { score: -2, value }
  return { score: parameter.roles.has('identifier') ? 2.8 : 0.9, value }
}

const TIME_ZONE = /^[A-Z][A-Za-z]+\/[A-Z][A-Za-z_]+(?:\/[A-Z][A-Za-z_]+)?$/

/** Splits "acme/website" into an owner and a repository. */
function partOfSlug({ nameStems }: Parameter, text: string): Fit | undefined {
  const [owner, repository, more] = text.split('/')
  if (!owner || !repository || more !== undefined) return undefined
  if (OWNERS.some(word => nameStems.includes(word))) return { score: 4, value: owner, part: 'core' }
  if (REPOSITORIES.some(word => nameStems.includes(word)))
    return { score: 4, value: repository, part: 'region' }
  return undefined
}

const OWNERS = ['owner', 'org', 'organization', 'namespace'].map(stem)
const REPOSITORIES = ['repo', 'repository'].map(stem)

/** Writes powers as "**", which most evaluators expect. */
function toAlgebra(text: string): string {
  return text.replaceAll('^', '**').replaceAll('²', '**2').replaceAll('³', '**3')
}

function fitNumberText(parameter: Parameter, mention: Mention): Fit | undefined {
  const { quantity } = mention
  const { roles } = parameter
  if (quantity!.inWords || quantity!.implied) return undefined
  const bare = mention.text.replaceAll(',', '')
  if (roles.has('identifier') && !quantity!.unit) return { score: 1.5, value: bare }
  if (roles.has('place') || roles.has('person') || roles.has('organization')) return undefined
  if (roles.has('year') && !quantity!.unit && bare.length === 4) return { score: 2, value: bare }
  if (parameter.namedRoles.has('time') || parameter.dimension === 'time')
    return { score: 0.3, value: mention.text }
  return quantity!.unit ? { score: -0.6, value: mention.text } : { score: -1, value: bare }
}
