import type { Analysis, Mention } from '../text/mention.ts'
import type { Parameter, Signature } from '../tools/signature.ts'

/** Result of matching a mention with a parameter. */
export interface Fit {
  score: number
  value: unknown
  /** Part of a place. City and country may come from one mention. */
  part?: 'core' | 'region'
  /** Words of the value, if fewer than those of the mention. */
  spot?: { from: number; to: number }
}

/** A part of the message and the tool to find arguments for. */
export interface Scope {
  analysis: Analysis
  /** Token indices, end exclusive. */
  from: number
  to: number
  signature: Signature
  /** Number of parameters that contain each stem. "number" does not distinguish "number1" from "number2". */
  stemCounts: ReadonlyMap<string, number>
}

export function scopeOf(
  analysis: Analysis,
  signature: Signature,
  from = 0,
  to = analysis.tokens.length,
): Scope {
  return { analysis, from, to, signature, stemCounts: countStems(signature.parameters) }
}

/** The mentions in the scope. If no parameter takes an array or object, "(45, 60)" gives separate numbers. */
export function mentionsIn(scope: Scope): Mention[] {
  const { mentions, inner } = scope.analysis
  const within = (mention: Mention) => mention.from >= scope.from && mention.to <= scope.to
  const takesLiterals = scope.signature.parameters.some(({ type }) => LITERAL_TYPES.has(type))
  if (takesLiterals || inner.length === 0) return mentions.filter(within)
  return [...mentions.filter(mention => mention.kind !== 'literal'), ...inner]
    .filter(within)
    .sort((a, b) => a.from - b.from)
}

const LITERAL_TYPES = new Set(['array', 'object', 'any'])

const counted = new WeakMap<Parameter[], Map<string, number>>()

function countStems(parameters: Parameter[]): Map<string, number> {
  const known = counted.get(parameters)
  if (known) return known
  const counts = new Map<string, number>()
  for (const { nameStems, descriptionStems } of parameters) {
    for (const part of new Set([...nameStems, ...descriptionStems]))
      counts.set(part, (counts.get(part) ?? 0) + 1)
  }
  counted.set(parameters, counts)
  return counts
}
