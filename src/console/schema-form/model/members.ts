import { itemSchema, tupleOf } from '../check/lists.ts'
import { memberSchemas } from '../check/objects.ts'
import { listIn, numberOf, schemasIn } from '../check/visit.ts'
import type { SchemaObject } from './schema-document.ts'
import { asObject, type State } from './state.ts'

/** A member of an object that the form shows. */
export interface Member {
  name: string
  schema: unknown
  isRequired: boolean
  /** False for entries of maps and unknown members, whose name the user may change. */
  isDeclared: boolean
}

/** Declared and required members in the order of the schema, then the entries that only the value has. */
export function membersOf(schema: SchemaObject, state: State): Member[] {
  const properties = schemasIn(schema.properties)
  const required = new Set(listIn(schema.required).filter(name => typeof name === 'string'))
  const declared = new Set([...Object.keys(properties), ...required])
  const others = Object.keys(asObject(state) ?? {}).filter(name => !declared.has(name))
  return [
    ...[...declared].map(name => ({
      ...entryOf(schema, name),
      isRequired: required.has(name),
      isDeclared: true,
    })),
    ...others.map(name => entryOf(schema, name)),
  ]
}

/** Describes a member that is known only by its name. */
export function entryOf(schema: SchemaObject, name: string): Member {
  const schemas = memberSchemas(schema, name)
  const isUnknown = schemas[0] === false && !Object.hasOwn(schemasIn(schema.properties), name)
  // The value of an unknown member stays editable. The check reports the name.
  const own = schemas.length > 1 ? { allOf: schemas } : isUnknown ? true : (schemas[0] ?? true)
  return { name, schema: own, isRequired: false, isDeclared: false }
}

/**
 * True when users can add entries and choose their names: in maps, and in objects without declared members. At the top level,
 * such an object describes a tool without arguments.
 */
export function takesEntries(schema: SchemaObject, pointer: string): boolean {
  if (schema.patternProperties !== undefined) return true
  const { additionalProperties } = schema
  if (additionalProperties === undefined)
    return pointer !== '' && Object.keys(schemasIn(schema.properties)).length === 0
  return additionalProperties !== false
}

/** Name of a new entry, which no other entry of the object has. */
export function newEntryName(state: State): string {
  const members = asObject(state) ?? {}
  let count = 1
  while (Object.hasOwn(members, `key${count}`)) count++
  return `key${count}`
}

/** True when the schema allows another item. */
export function takesItems(schema: SchemaObject, count: number): boolean {
  if (count >= (numberOf(schema.maxItems) ?? Number.POSITIVE_INFINITY)) return false
  return itemSchema(schema, count) !== false
}

/** Number of items to show. A tuple always shows all positions, because each has its own meaning. */
export function shownItems(schema: SchemaObject, count: number): number {
  return Math.max(count, tupleOf(schema).length)
}
