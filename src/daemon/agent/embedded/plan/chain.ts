import type { Binding } from '../bind/bind.ts'
import type { CompletedCall } from '../conversation.ts'
import type { Analysis } from '../text/mention.ts'
import { identifierWords, stem } from '../text/stem.ts'
import type { Parameter } from '../tools/signature.ts'
import type { Piece } from './pieces.ts'
import { isWeak, type Memory } from './recall.ts'

/** Words that refer to the result of an earlier request. */
const BACK_REFERENCES = new Set(
  'it its them they their result results output outcome answer response content contents'.split(' '),
)

/** Parameters of a later request that only the result of an earlier one can fill. */
export function waitingParameters(
  analysis: Analysis,
  stretch: Piece,
  binding: Binding,
  memory: Memory,
): Parameter[] {
  const refersBack = analysis.tokens
    .slice(stretch.from, stretch.to)
    .some((token, i) => BACK_REFERENCES.has(token.lower) && !analysis.owners[stretch.from + i])
  if (!refersBack) return []
  const weak = binding.bound.filter(isWeak).map(({ parameter }) => parameter)
  return [...binding.missing, ...weak].filter(({ name }) => !memory.has(name))
}

/** Fills a binding from results, the latest first. False when a parameter has no matching result. */
export function fillFromResults(binding: Binding, wanted: Parameter[], done: CompletedCall[]): boolean {
  const results = done.filter(({ failed }) => !failed).reverse()
  for (const parameter of wanted) {
    const value = firstDefined(results, result => valueIn(parameter, result))
    if (value === undefined) return false
    binding.values.set(parameter.name, [value])
  }
  binding.missing = binding.missing.filter(parameter => !binding.values.has(parameter.name))
  return true
}

function firstDefined<T, R>(items: T[], read: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const value = read(item)
    if (value !== undefined) return value
  }
  return undefined
}

/** The result's field with the parameter's name, otherwise the whole text, or the only number for a numeric parameter. */
function valueIn(parameter: Parameter, { data, text }: CompletedCall): unknown {
  const field = data === undefined ? undefined : findField(data, parameter, { left: MAX_FIELDS })
  if (field !== undefined) return field
  if (parameter.type === 'string' || parameter.type === 'any') return text.slice(0, MAX_TEXT_LENGTH)
  if (parameter.type !== 'number' && parameter.type !== 'integer') return undefined
  const numbers = text.slice(0, MAX_TEXT_LENGTH).match(/-?\d+(?:\.\d+)?/g) ?? []
  return numbers.length === 1 ? Number(numbers[0]) : undefined
}

const MAX_FIELDS = 500
const MAX_TEXT_LENGTH = 4000

function findField(data: unknown, parameter: Parameter, budget: { left: number }): unknown {
  if (typeof data !== 'object' || data === null || budget.left-- <= 0) return undefined
  const entries = Object.entries(data)
  for (const [key, value] of entries) if (fitsType(value, parameter) && sameName(key, parameter)) return value
  return firstDefined(entries, ([, value]) => findField(value, parameter, budget))
}

function fitsType(value: unknown, { type }: Parameter): boolean {
  if (type === 'integer') return Number.isInteger(value)
  return type === 'any' || typeof value === type
}

function sameName(key: string, { nameStems }: Parameter): boolean {
  return identifierWords(key).some(word => nameStems.includes(stem(word)))
}
