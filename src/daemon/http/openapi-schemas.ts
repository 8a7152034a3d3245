import * as z from 'zod'

type Json = Record<string, unknown>

/** Writes zod schemas as JSON Schema 2020-12 and gathers what recurs under `#/components/schemas`. */
export class SchemaWriter {
  /** Name → schema, for `components.schemas`. */
  readonly shared: Json = {}
  readonly #names = new Map<string, string>()

  write(schema: z.ZodType, io: 'input' | 'output'): Json {
    const {
      $schema: _dialect,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Record<string, Json> }
    const names = Object.fromEntries(Object.entries($defs).map(([key, def]) => [key, this.#nameOf(def)]))
    for (const [key, def] of Object.entries($defs)) this.shared[names[key]!] = redirect(def, names)
    return redirect(rest, names) as Json
  }

  /** Equal definitions share a name. */
  #nameOf(definition: Json): string {
    const content = JSON.stringify(definition)
    const name = this.#names.get(content) ?? `Shared${this.#names.size + 1}`
    this.#names.set(content, name)
    return name
  }
}

/** `#/$defs/<key>` → `#/components/schemas/<name>`, all the way down. */
function redirect(node: unknown, names: Record<string, string>): unknown {
  if (Array.isArray(node)) return node.map(entry => redirect(entry, names))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => {
    const target = key === '$ref' && typeof value === 'string' && /^#\/\$defs\/(.+)$/.exec(value)?.[1]
    return [key, target ? `#/components/schemas/${names[target]}` : redirect(value, names)]
  })
  return Object.fromEntries(entries)
}
