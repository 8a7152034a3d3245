import { collide } from '../bind/assign.ts'
import type { Binding } from '../bind/bind.ts'
import type { Analysis } from '../text/mention.ts'
import type { Parameter, Signature } from '../tools/signature.ts'
import { findRecords, type Record } from './records.ts'

/**
 * Fills required objects with described properties, and arrays of them, from unused mentions. Each property is treated as a
 * parameter and each item as a record.
 */
export function fillNested(analysis: Analysis, signature: Signature, { piece, binding }: Record): void {
  for (const parameter of signature.parameters) {
    const properties = parameter.type === 'array' ? parameter.items?.properties : parameter.properties
    if (!properties || properties.length === 0 || !parameter.required || binding.values.has(parameter.name))
      continue
    const inner = findRecords(leftOver(analysis, binding), { ...signature, parameters: properties }, piece)
    const objects = inner.filter(isWhole).map(record => toObject(properties, record.binding))
    if (objects.length > 0)
      binding.values.set(parameter.name, [parameter.type === 'array' ? objects : objects[0]])
  }
  binding.missing = binding.missing.filter(parameter => !binding.values.has(parameter.name))
}

function leftOver(analysis: Analysis, { bound }: Binding): Analysis {
  const free = analysis.mentions.filter(
    mention => !bound.some(({ candidate }) => collide(candidate, mention)),
  )
  return { ...analysis, mentions: free }
}

function isWhole({ binding }: Record): boolean {
  return binding.values.size > 0 && binding.missing.length === 0
}

function toObject(properties: Parameter[], { values }: Binding): object {
  return Object.fromEntries(
    properties.filter(({ name }) => values.has(name)).map(({ name }) => [name, values.get(name)![0]]),
  )
}
