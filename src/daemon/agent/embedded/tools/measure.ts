import { dimensionOf } from '../lexicon/roles.ts'
import { identifierWords } from '../text/stem.ts'
import { type Token, tokenize } from '../text/tokens.ts'
import { type Unit, unitOf } from '../text/units.ts'

/** The unit and dimension from a parameter's name or description. */
export function measureOf(
  name: string,
  description: string,
  nameStems: string[],
  descriptionStems: string[],
): { unit?: Unit; dimension?: string } {
  const unit = unitInName(name) ?? unitInDescription(description)
  const byName = nameStems.map(dimensionOf).filter(dimension => dimension !== undefined)
  const dimension =
    unit?.dimension ?? byName.at(-1) ?? descriptionStems.slice(0, 6).map(dimensionOf).find(Boolean)
  return { ...(unit && { unit }), ...(dimension && { dimension }) }
}

/** The unit in a name: "height_m", "temp_celsius", "years", "distance_in_light_years". */
function unitInName(name: string): Unit | undefined {
  const words = identifierWords(name)
  if (words.at(-2) === 'per') return undefined
  const pair = unitOf(words.slice(-2).join('-'))
  const last = words.at(-1) ?? ''
  return pair ?? (words.length === 1 && last.length < 3 ? undefined : unitOf(last))
}

/** "in meters", "(kg)", "in degrees Celsius", "time in years". A unit after "in" is more reliable than one in parentheses. */
function unitInDescription(description: string): Unit | undefined {
  const tokens = tokenize(description.slice(0, MAX_READ))
  const after = (openers: string[], shortest: number) => {
    for (let at = 0; at < tokens.length; at++) {
      if (!openers.includes(tokens[at]!.lower)) continue
      for (let length = 5; length >= 1; length--) {
        const spelled = spellTokens(tokens.slice(at + 1, at + 1 + length))
        const unit =
          spelled.length < shortest
            ? undefined
            : (unitOf(spelled) ?? unitOf(COMPOUND[spelled.toLowerCase()] ?? ''))
        if (unit) return unit
      }
    }
    return undefined
  }
  return after(['in', ','], 1) ?? after(['('], 2)
}

const MAX_READ = 600

function spellTokens(tokens: Token[]): string {
  return tokens.map((token, i) => (i > 0 && !token.glued ? ` ${token.text}` : token.text)).join('')
}

const COMPOUND: Record<string, string> = {
  'square feet': 'sqft',
  'square meters': 'sqm',
  'cubic meters': 'm^3',
  'degrees celsius': 'celsius',
  'degree celsius': 'celsius',
  'degrees fahrenheit': 'fahrenheit',
  'light years': 'light-year',
  'meters per second': 'm/s',
}
