import type { Binding } from '../bind/bind.ts'
import { regionOfCity } from '../bind/fit-name.ts'
import type { Parameter, Signature } from '../tools/signature.ts'

export interface Call {
  tool: string
  arguments: Record<string, unknown>
}

/** One call per combination of values. With "respectively", lists of equal length are paired. */
export function callsOf(signature: Signature, binding: Binding, respectively: boolean): Call[] {
  const given = [...binding.values.values()].flat()
  const named = signature.parameters.flatMap((parameter): [string, unknown[]][] => {
    const values = binding.values.get(parameter.name) ?? fallback(parameter, given)
    return values.length > 0 ? [[parameter.name, values]] : []
  })
  const lists = named.filter(([, values]) => values.length > 1)
  const dealt = new Set(binding.bound.filter(bound => bound.dealt).map(({ parameter }) => parameter.name))
  const together = lists.filter(
    ([name, values]) => dealt.has(name) || (respectively && values.length === lists[0]![1].length),
  )
  const apart = named.filter(entry => !together.includes(entry))
  const combined =
    together.length > 1 ? zip(together).flatMap(entries => cross(apart, entries)) : cross(named)
  const order = new Map(signature.parameters.map(({ name }, i) => [name, i]))
  return combined.slice(0, MAX_CALLS).map(entries => ({
    tool: signature.name,
    arguments: Object.fromEntries(entries.sort(([a], [b]) => order.get(a)! - order.get(b)!)),
  }))
}

const MAX_CALLS = 16

/**
 * Value of a required parameter that the message does not mention: its default, English for a language, the state or country
 * of a mentioned city, or false.
 */
export function fallback(parameter: Parameter, values: unknown[]): unknown[] {
  if (!parameter.required) return []
  if (parameter.default !== undefined) return [parameter.default]
  if (parameter.roles.has('language') && parameter.type === 'string') return ['English']
  const region = regionOfCity(parameter, values)
  if (region) return [region]
  return parameter.type === 'boolean' ? [false] : []
}

type Entries = [string, unknown][]

function cross(named: [string, unknown[]][], start: Entries = []): Entries[] {
  let calls: Entries[] = [start]
  for (const [name, values] of named) {
    calls = calls
      .flatMap(entries => values.map((value): Entries => [...entries, [name, value]]))
      .slice(0, MAX_CALLS)
  }
  return calls
}

function zip(named: [string, unknown[]][]): Entries[] {
  const length = Math.max(...named.map(([, values]) => values.length))
  return Array.from({ length }, (_, i) => named.map(([name, values]): [string, unknown] => [name, values[i]]))
}
