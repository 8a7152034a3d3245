import { isMember } from '../lexicon/kinds.ts'
import type { Parameter } from '../tools/signature.ts'
import type { Scope } from './scope.ts'

/**
 * Score for a known member of the kind that the parameter asks for, such as "magenta" for a color. Negative for any other
 * word if the kind is known.
 */
export function scoreOfKind(
  scope: Scope,
  parameter: Parameter,
  { from, to }: { from: number; to: number },
): number {
  const stems = scope.analysis.tokens.slice(from, to).flatMap(token => token.stems)
  const asked = [...parameter.nameStems, ...parameter.descriptionStems.slice(0, 4)]
  if (asked.some(kind => stems.some(part => isMember(kind, part)))) return 1.2
  return parameter.nameStems.some(kind => isMember(kind, '') === false) ? -0.7 : 0
}

/** Score of a literal example from the description. */
export function scoreOfExample(parameter: Parameter, text: string): number {
  const lower = text.toLowerCase()
  return parameter.suggestions.some(({ value }) => String(value).toLowerCase() === lower) ? 1.5 : 0
}
