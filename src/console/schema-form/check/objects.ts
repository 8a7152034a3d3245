import type { SchemaObject } from '../model/schema-document.ts'
import { asObject, plain, type State, type StateObject } from '../model/state.ts'
import { matchesPattern } from './scalars.ts'
import { childPointer, listIn, numberOf, type Problem, schemasIn, Visit } from './visit.ts'

/** Checks an object and its members. */
export function objectProblems(schema: SchemaObject, at: Visit): Problem[] {
  const members = asObject(at.state)
  if (!members) return []
  const names = Object.keys(members).filter(name => plain(members[name]) !== undefined)
  return [
    ...requiredProblems(schema, members, at),
    ...countProblems(schema, names.length, at),
    ...nameProblems(schema, names, at),
    ...names.flatMap(name => memberProblems(schema, name, members[name], at)),
  ]
}

function requiredProblems(schema: SchemaObject, members: StateObject, at: Visit): Problem[] {
  const missing = listIn(schema.required)
    .filter(name => typeof name === 'string')
    .filter(name => !Object.hasOwn(members, name) || plain(members[name]) === undefined)
  return missing.map(name => ({
    ...at.problem('required', { missingProperty: name }, 'is required', childPointer(at.pointer, name)),
    parentSchema: schema,
  }))
}

function countProblems(schema: SchemaObject, count: number, at: Visit): Problem[] {
  const [min, max] = [numberOf(schema.minProperties), numberOf(schema.maxProperties)]
  if (min !== undefined && count < min)
    return [at.problem('minProperties', {}, `needs at least ${min} entries`)]
  if (max !== undefined && count > max)
    return [at.problem('maxProperties', {}, `may have at most ${max} entries`)]
  return []
}

function nameProblems(schema: SchemaObject, names: string[], at: Visit): Problem[] {
  if (schema.propertyNames === undefined) return []
  return names
    .filter(name => new Visit(at.run, name).with(schema.propertyNames).length > 0)
    .map(name =>
      at.problem('propertyNames', {}, 'has a name that is not allowed', childPointer(at.pointer, name)),
    )
}

function memberProblems(schema: SchemaObject, name: string, member: State, at: Visit): Problem[] {
  const schemas = memberSchemas(schema, name)
  if (schemas.length === 1 && schemas[0] === false && !Object.hasOwn(schemasIn(schema.properties), name)) {
    const pointer = childPointer(at.pointer, name)
    const params = { additionalProperty: name }
    return [
      {
        ...at.problem('additionalProperties', params, 'is not a known field', pointer),
        parentSchema: schema,
      },
    ]
  }
  return schemas.flatMap(part => at.inside(part, name, member))
}

/** Schemas that apply to a member: its own and those for matching patterns, or else the schema for additional members. */
export function memberSchemas(schema: SchemaObject, name: string): unknown[] {
  const properties = schemasIn(schema.properties)
  const own = Object.hasOwn(properties, name) ? [properties[name]] : []
  const patterns = Object.entries(schemasIn(schema.patternProperties))
  const matching = patterns.filter(([pattern]) => matchesPattern(pattern, name)).map(([, part]) => part)
  if (own.length + matching.length > 0) return [...own, ...matching]
  return schema.additionalProperties === undefined ? [] : [schema.additionalProperties]
}
