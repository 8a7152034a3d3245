import { narrowedLimits } from './narrowed-limits.ts'
import { sameJson } from './same-json.ts'
import {
  alternativesOf,
  childView,
  propertiesOf,
  requiredOf,
  type Schema,
  typesOf,
  type View,
  valuesOf,
  viewOf,
} from './schema-view.ts'
import { breaking, compatible, isBreaking, type SurfaceChange } from './surface-change.ts'

/** Limits the comparison of recursive schemas. */
const MAX_DEPTH = 12

/**
 * Changes to arguments: all values that the previous version accepted must still be accepted. A new or changed keyword that
 * cannot be compared (`not`, `if`, `patternProperties` …) counts as breaking.
 */
export function compareInputs(path: string, before: Schema, after: Schema): SurfaceChange[] {
  return sameJson(before, after) ? [] : inputs(path, viewOf(before, before), viewOf(after, after), 0)
}

/**
 * Changes to results: a client of the previous version must be able to read all values that are returned now. Does not compare
 * limits such as `maximum`.
 */
export function compareOutputs(
  path: string,
  before: Schema | undefined,
  after: Schema | undefined,
): SurfaceChange[] {
  if (before === undefined) return after === undefined ? [] : [compatible(path, 'is new')]
  if (after === undefined) return [breaking(path, 'is removed')]
  return sameJson(before, after) ? [] : outputs(path, viewOf(before, before), viewOf(after, after), 0)
}

function inputs(path: string, before: View, after: View, depth: number): SurfaceChange[] {
  if (depth > MAX_DEPTH || sameJson(before.schema, after.schema)) return []
  const [old, now] = [alternativesOf(before), alternativesOf(after)]
  if (old.length === 1 && now.length === 1) return plainInputs(path, old[0]!, now[0]!, depth)
  const accepted = (one: View) => now.some(other => !plainInputs(path, one, other, depth).some(isBreaking))
  const lost = old.filter(one => !accepted(one))
  if (lost.length > 0 && now.length === 1) return lost.flatMap(one => plainInputs(path, one, now[0]!, depth))
  return lost.map(one => breaking(path, `no longer accepts ${describe(one)}`))
}

function plainInputs(path: string, before: View, after: View, depth: number): SurfaceChange[] {
  const lost = [...typesOf(before)].filter(type => !typesOf(after).has(type))
  if (lost.length > 0) return [breaking(path, `no longer accepts ${nameTypes(lost)}`)]
  return [
    ...lostValues(path, before, after, INPUT_WORDS),
    ...narrowedLimits(path, before.schema, after.schema),
    ...inputProperties(path, before, after, depth),
    ...closedProperties(path, before, after),
    ...inputs(
      `${path}[]`,
      childView(before, before.schema.items),
      childView(after, after.schema.items),
      depth + 1,
    ),
    ...incomparableKeywords(path, before, after),
  ]
}

function inputProperties(path: string, before: View, after: View, depth: number): SurfaceChange[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)]
  const [oldRequired, nowRequired] = [requiredOf(before), requiredOf(after)]
  const changes: SurfaceChange[] = []
  for (const name of Object.keys(old)) {
    const at = `${path}.${name}`
    if (!Object.hasOwn(now, name)) changes.push(breaking(at, 'is removed'))
    else changes.push(...inputs(at, childView(before, old[name]), childView(after, now[name]), depth + 1))
    if (oldRequired.has(name) && !nowRequired.has(name) && Object.hasOwn(now, name))
      changes.push(compatible(at, 'is now optional'))
  }
  for (const name of nowRequired)
    if (!oldRequired.has(name))
      changes.push(
        breaking(`${path}.${name}`, Object.hasOwn(old, name) ? 'is now required' : 'is new and required'),
      )
  for (const name of Object.keys(now))
    if (!Object.hasOwn(old, name) && !nowRequired.has(name))
      changes.push(compatible(`${path}.${name}`, 'is new and optional'))
  return changes
}

function closedProperties(path: string, before: View, after: View): SurfaceChange[] {
  const [old, now] = [before.schema.additionalProperties ?? true, after.schema.additionalProperties ?? true]
  if (sameJson(old, now) || old === false || now === true || sameJson(now, {})) return []
  return [
    breaking(path, now === false ? 'no longer accepts other properties' : 'accepts fewer other properties'),
  ]
}

function outputs(path: string, before: View, after: View, depth: number): SurfaceChange[] {
  if (depth > MAX_DEPTH || sameJson(before.schema, after.schema)) return []
  const [old, now] = [alternativesOf(before), alternativesOf(after)]
  if (old.length === 1 && now.length === 1) return plainOutputs(path, old[0]!, now[0]!, depth)
  const known = (one: View) => old.some(other => !plainOutputs(path, other, one, depth).some(isBreaking))
  return now.filter(one => !known(one)).map(one => breaking(path, `may now be ${describe(one)}`))
}

function plainOutputs(path: string, before: View, after: View, depth: number): SurfaceChange[] {
  const gained = [...typesOf(after)].filter(type => !typesOf(before).has(type))
  if (gained.length > 0) return [breaking(path, `may now be ${nameTypes(gained)}`)]
  const items = [childView(before, before.schema.items), childView(after, after.schema.items)] as const
  return [
    ...lostValues(path, after, before, OUTPUT_WORDS),
    ...outputProperties(path, before, after, depth),
    ...outputs(`${path}[]`, ...items, depth + 1),
  ]
}

function outputProperties(path: string, before: View, after: View, depth: number): SurfaceChange[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)]
  const [oldRequired, nowRequired] = [requiredOf(before), requiredOf(after)]
  const changes = Object.keys(old).flatMap(name => {
    const at = `${path}.${name}`
    if (!Object.hasOwn(now, name)) return [breaking(at, 'is removed')]
    const missing = oldRequired.has(name) && !nowRequired.has(name)
    const inside = outputs(at, childView(before, old[name]), childView(after, now[name]), depth + 1)
    return missing ? [breaking(at, 'may now be missing'), ...inside] : inside
  })
  const added = Object.keys(now).filter(name => !Object.hasOwn(old, name))
  return [...changes, ...added.map(name => compatible(`${path}.${name}`, 'is new'))]
}

/** Values that `from` allows and `to` does not. */
function lostValues(path: string, from: View, to: View, words: typeof INPUT_WORDS): SurfaceChange[] {
  const [given, allowed] = [valuesOf(from), valuesOf(to)]
  if (!allowed) return []
  if (!given) return [breaking(path, words.all(list(allowed)))]
  const lost = given.filter(value => !allowed.some(other => sameJson(value, other)))
  return lost.length > 0 ? [breaking(path, words.some(list(lost)))] : []
}

const INPUT_WORDS = {
  some: (values: string) => `no longer accepts ${values}`,
  all: (values: string) => `now only accepts ${values}`,
}
const OUTPUT_WORDS = {
  some: (values: string) => `may now be ${values}`,
  all: (values: string) => `may now be anything, not only ${values}`,
}

const INCOMPARABLE = [
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'prefixItems',
  'contains',
  'unevaluatedProperties',
  'unevaluatedItems',
] as const

function incomparableKeywords(path: string, before: View, after: View): SurfaceChange[] {
  const changed = INCOMPARABLE.filter(
    word => word in after.schema && !sameJson(before.schema[word] ?? null, after.schema[word] ?? null),
  )
  return changed.map(word => breaking(path, `has a different "${word}", which may accept less than before`))
}

function describe(view: View): string {
  const values = valuesOf(view)
  return values ? list(values) : nameTypes([...typesOf(view)])
}

function nameTypes(types: string[]): string {
  return types.filter(type => type !== 'integer' || !types.includes('number')).join(', ')
}

const MAX_SHOWN = 5

function list(values: unknown[]): string {
  const shown = values.slice(0, MAX_SHOWN).map(value => JSON.stringify(value))
  return values.length > MAX_SHOWN
    ? `${shown.join(', ')} and ${values.length - MAX_SHOWN} more`
    : shown.join(', ')
}
