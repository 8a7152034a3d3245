import type { BoundParameter } from '../bind/assign.ts'
import type { Binding } from '../bind/bind.ts'
import type { Parameter } from '../tools/signature.ts'

/** Values from earlier requests in the message, for "the same city" and "these two". */
export type Memory = Map<string, { parameter: Parameter; values: unknown[] }>

export function remember(memory: Memory, parameters: Parameter[], bindings: Binding[]): void {
  for (const parameter of parameters) {
    const values = bindings.flatMap(binding => binding.values.get(parameter.name) ?? [])
    if (values.length > 0) memory.set(parameter.name, { parameter, values: [...new Set(values)] })
  }
}

/** Below this score, a required text was filled from a common noun because there was nothing better. */
const WEAK_SCORE = 1.9

export function isWeak({ parameter, score, candidate }: BoundParameter): boolean {
  return (
    parameter.required && score < WEAK_SCORE && ['phrase', 'passage'].includes(candidate.members[0]!.kind)
  )
}

/**
 * Fills missing values of a request from memory: from a parameter of the same name, otherwise from one of the same kind.
 * Several parameters of one kind get different values.
 */
export function recall(memory: Memory, binding: Binding, parameters: Parameter[]): void {
  const weak = binding.bound.filter(isWeak)
  const wanted = parameters.filter(
    parameter => binding.missing.includes(parameter) || weak.some(bound => bound.parameter === parameter),
  )
  const given = new Set(weak.length > 0 ? [] : [...binding.values.values()].flat())
  for (const parameter of wanted) {
    const value = memory.get(parameter.name)?.values ?? nextAlike(memory, parameter, given)
    if (!value) continue
    for (const part of value) given.add(part)
    binding.values.set(parameter.name, value)
  }
  binding.missing = binding.missing.filter(parameter => !binding.values.has(parameter.name))
}

const KINDS = ['place', 'person', 'organization', 'identifier', 'path', 'url', 'currency'] as const

function nextAlike(memory: Memory, parameter: Parameter, given: Set<unknown>): unknown[] | undefined {
  for (const { parameter: other, values } of memory.values()) {
    if (
      other.type !== parameter.type ||
      !KINDS.some(kind => other.roles.has(kind) && parameter.roles.has(kind))
    )
      continue
    const free = values.find(value => !given.has(value))
    if (free !== undefined) return [free]
  }
  return undefined
}
