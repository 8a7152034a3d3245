import { pointerSteps } from '../../../shared/json/json-walk.ts'

export type SchemaObject = Record<string, unknown>

/** Maximum number of places that are searched for anchors. Larger schemas only lose references by name. */
const MAX_INDEXED = 20_000
const BASE = 'schema:/'

/** A schema with the targets of its references. Resolves them on demand, so recursive schemas cost nothing. */
export class SchemaDocument {
  readonly root: unknown
  #named: Map<string, unknown> | undefined

  constructor(root: unknown) {
    this.root = root
  }

  /** Undefined when the reference points outside the document or to nothing. */
  resolve(reference: string): unknown {
    const [base = '', fragment = ''] = splitOnce(reference, '#')
    const start = base === '' ? this.root : this.#byName(base)
    if (fragment === '' || start === undefined) return start
    if (fragment.startsWith('/')) return follow(start, fragment)
    return this.#byName(`${base}#${fragment}`)
  }

  #byName(name: string): unknown {
    this.#named ??= indexNames(this.root)
    return this.#named.get(name) ?? this.#named.get(absolute(name))
  }
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

function follow(start: unknown, fragment: string): unknown {
  let place = start
  for (const step of pointerSteps(decode(fragment))) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, step)) return undefined
    place = (place as SchemaObject)[step]
  }
  return place
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function absolute(name: string, base = BASE): string {
  return URL.canParse(name, base) ? new URL(name, base).href : name
}

/** Schemas by `$id` (relative and absolute) and by anchor. */
function indexNames(root: unknown): Map<string, unknown> {
  const named = new Map<string, unknown>()
  const add = (name: string, schema: unknown) => named.has(name) || named.set(name, schema)
  const open: { place: unknown; base: string }[] = [{ place: root, base: BASE }]
  for (let next = open.pop(), left = MAX_INDEXED; next && left > 0; next = open.pop(), left--) {
    const { place } = next
    if (typeof place !== 'object' || place === null) continue
    const { $id, $anchor, $dynamicAnchor } = place as SchemaObject
    const base = typeof $id === 'string' ? absolute($id, next.base) : next.base
    if (typeof $id === 'string') for (const name of [$id, base]) add(name, place)
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === 'string') for (const start of ['', base]) add(`${start}#${anchor}`, place)
    }
    for (const member of Object.values(place)) open.push({ place: member, base })
  }
  return named
}
