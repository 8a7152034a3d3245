import {
  alternativesOf,
  childView,
  type Schema,
  type View,
  valuesOf,
  viewOf,
} from '../../shared/surface/schema-view.ts'

/** Type of a JSON Schema for people: `integer`, `array of string`, `string or null`. */
export function typeText(schema: unknown, root: Schema): string {
  return listOfTypes(viewOf(schema, root))
}

/** Allowed and default values of a JSON Schema for people: `1 to 7, default 3`. Empty when everything is allowed. */
export function valuesText(schema: unknown, root: Schema): string {
  return valuesOfView(viewOf(schema, root)).join(', ')
}

function listOfTypes(view: View): string {
  const types = alternativesOf(view).flatMap(typesOfView)
  return [...new Set(types)].join(' or ')
}

function typesOfView(view: View): string[] {
  const { type, items, enum: values } = view.schema
  const implied = Array.isArray(values) ? [...new Set(values.map(value => typeof value))] : ['any']
  const types = type === undefined ? implied : [type].flat().map(String)
  return types.map(one =>
    one === 'array' && items ? `array of ${listOfTypes(childView(view, items))}` : one,
  )
}

function valuesOfView(view: View): string[] {
  const { schema } = view
  const alternatives = alternativesOf(view)
  const ofAlternatives = alternatives.length > 1 ? alternatives.map(constraintsOf) : [constraintsOf(view)]
  const distinct = [...new Set(ofAlternatives.map(list => list.join(', ')).filter(Boolean))]
  return [
    ...distinct.slice(0, 1),
    ...distinct.slice(1).map(text => `or ${text}`),
    ...(schema.default === undefined ? [] : [`default ${valueText(schema.default)}`]),
  ]
}

function constraintsOf(view: View): string[] {
  const values = valuesOf(view)
  if (values) return values.map(valueText)
  const { schema } = view
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = schema
  const found = [
    rangeText(minimum, maximum),
    schema.exclusiveMinimum === undefined ? '' : `more than ${schema.exclusiveMinimum}`,
    schema.exclusiveMaximum === undefined ? '' : `less than ${schema.exclusiveMaximum}`,
    schema.multipleOf === undefined ? '' : `a multiple of ${schema.multipleOf}`,
    rangeText(minLength, maxLength, 'characters'),
    schema.format === undefined ? '' : String(schema.format),
    schema.pattern === undefined ? '' : `matching ${schema.pattern}`,
    rangeText(minItems, maxItems, 'items'),
    schema.uniqueItems === true ? 'no duplicates' : '',
    itemsText(view),
    membersText(view),
  ]
  return found.filter(Boolean)
}

/** `2 to 5 items`, `at least 1`. Empty without limits. */
function rangeText(least: unknown, most: unknown, unit?: string): string {
  const named = (text: string) => (unit ? `${text} ${unit}` : text)
  if (least === undefined) return most === undefined ? '' : named(`at most ${most}`)
  if (most === undefined) return named(`at least ${least}`)
  return named(least === most ? String(least) : `${least} to ${most}`)
}

function itemsText(view: View): string {
  const { items } = view.schema
  const each = items === undefined ? undefined : childView(view, items)
  const text = each ? constraintsOf(each).join(', ') : ''
  if (!each || text === '') return ''
  return valuesOf(each) ? `each one of ${text}` : `each ${text}`
}

/** `{lat, lon}` */
function membersText({ schema }: View): string {
  const names = Object.keys((schema.properties ?? {}) as Schema)
  return names.length > 0 ? `{${names.join(', ')}}` : ''
}

/** Omits the quotes of a string if its end is clear. */
function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^",\n]+$/.test(value) ? value : JSON.stringify(value)
}
