import type { Bound } from '../bind/assign.ts'
import type { Binding } from '../bind/bind.ts'
import type { Parameter } from '../tools/signature.ts'

/** Values that earlier requests of the message found: what "the same city" and "these two" speak of. */
export type Memory = Map<string, { parameter: Parameter; values: unknown[] }>

export function remember(memory: Memory, parameters: Parameter[], bindings: Binding[]): void {
  for (const parameter of parameters) {
    const values = bindings.flatMap(binding => binding.values.get(parameter.name) ?? [])
    if (values.length > 0) memory.set(parameter.name, { parameter, values: [...new Set(values)] })
  }
}

/** Below this a required text was filled from a mere common noun, for want of something better. */
const POOR = 1.9

export function isPoor({ parameter, score, candidate }: Bound): boolean {
  return parameter.required && score < POOR && ['phrase', 'passage'].includes(candidate.members[0]!.kind)
}

/**
 * Fills from memory what a request leaves out: the value of a parameter of the same name, else of one that asks for the
 * same kind of thing. Parameters of one kind get the values in turn.
 */
export function recall(memory: Memory, binding: Binding, parameters: Parameter[]): void {
  const poor = binding.bound.filter(isPoor)
  const wanted = parameters.filter(
    parameter => binding.missing.includes(parameter) || poor.some(bound => bound.parameter === parameter),
  )
  const given = new Set(poor.length > 0 ? [] : [...binding.values.values()].flat())
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
