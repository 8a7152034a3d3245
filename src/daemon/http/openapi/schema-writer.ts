import * as z from 'zod'
import { envelopeOf } from '../../../shared/contract/envelope.ts'
import { toSchemaDocument } from '../../../shared/json/schema-document.ts'

type Json = Record<string, unknown>
type Direction = 'input' | 'output'

/**
 * Writes zod schemas as JSON Schema 2020-12. A schema with an `id` in its metadata is written once, to
 * `components.schemas`. If defaults make it differ in requests and responses, requests use `<id>Input`.
 */
export class SchemaWriter {
  readonly #definitions: Record<Direction, Record<string, Json>> = { input: {}, output: {} }
  readonly #envelopes = new Map<z.ZodType, z.ZodType>()

  /** References point to `in:<id>` and `out:<id>` until `finish`. */
  write(schema: z.ZodType, io: Direction): Json {
    const prefix = io === 'input' ? 'in:' : 'out:'
    const id = z.globalRegistry.get(schema)?.id
    // Repeated conversions would grow the heap of an idle daemon.
    if (id && this.#definitions[io][id]) return { $ref: `#/components/schemas/${prefix}${id}` }
    const { $schema: _dialect, $defs = {}, ...rest } = toSchemaDocument(schema, { io })
    for (const [id, definition] of Object.entries($defs))
      this.#definitions[io][id] ??= redirect(arrange(definition, io), id => prefix + id) as Json
    return redirect(arrange(rest, io), id => prefix + id) as Json
  }

  /** Parameters of a request by name, and which of them are required. */
  writeFields(schema: z.ZodType): { properties: Record<string, Json>; required: string[] } {
    const { properties = {}, required = [] } = toSchemaDocument(schema, { io: 'input' }) as {
      properties?: Record<string, Json>
      required?: string[]
    }
    for (const { $ref } of Object.values(properties)) if ($ref) this.write(schema, 'input')
    return { properties: redirect(properties, id => `in:${id}`) as Record<string, Json>, required }
  }

  /** The success envelope around a schema of the /v1 family. */
  writeEnvelope(data: z.ZodType): Json {
    const id = z.globalRegistry.get(data)?.id
    const envelope = this.#envelopes.get(data) ?? envelopeOf(data, id && `${id}Response`)
    this.#envelopes.set(data, envelope)
    return this.write(envelope, 'output')
  }

  /** Completes the references in a document, and returns it with its `components.schemas`. */
  finish(document: Json): { document: Json; schemas: Json } {
    const { input, output } = this.#definitions
    const differing = findDiffering(input, output)
    const nameOf = (id: string, io: Direction) => (io === 'input' && differing.has(id) ? `${id}Input` : id)
    const toName = (target: string) => {
      const [io, id] = target.split(':') as [string, string]
      return nameOf(id, io === 'in' ? 'input' : 'output')
    }
    const entries = (['input', 'output'] as const).flatMap(io =>
      Object.entries(this.#definitions[io]).map(([id, definition]) => [
        nameOf(id, io),
        redirect(definition, toName),
      ]),
    )
    const sorted = entries.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
    return { document: redirect(document, toName) as Json, schemas: Object.fromEntries(sorted) }
  }
}

/** Ids of definitions that differ between requests and responses, directly or through a reference. */
function findDiffering(input: Record<string, Json>, output: Record<string, Json>): Set<string> {
  const shared = Object.keys(input).filter(id => output[id])
  const plain = (definition: Json) =>
    JSON.stringify(redirect(definition, target => target.replace(/^\w+:/, '')))
  const differing = new Set(shared.filter(id => plain(input[id]!) !== plain(output[id]!)))
  for (let size = -1; size !== differing.size; ) {
    size = differing.size
    for (const id of shared)
      redirect(input[id], target => {
        if (differing.has(target.replace(/^\w+:/, ''))) differing.add(id)
        return target
      })
  }
  return differing
}

/**
 * Removes defaults from responses, and `additionalProperties: false`, because responses may get new fields at any time. In
 * requests, `allOf` separates a default from its field, because openapi-typescript declares fields with a default as required
 * (https://openapi-ts.dev/cli, --default-non-nullable).
 */
function arrange(node: unknown, io: Direction): unknown {
  if (Array.isArray(node)) return node.map(entry => arrange(entry, io))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node)
    .filter(([key, value]) => io === 'input' || !isClosing(key, value, node))
    .map(([key, value]) => {
      if (key === 'examples' || key === 'default' || key === 'enum') return [key, value]
      if (key !== 'properties') return [key, arrange(value, io)]
      return [key, mapValues(value as Json, property => arrangeProperty(property as Json, io))]
    })
  return Object.fromEntries(entries)
}

function isClosing(key: string, value: unknown, node: object): boolean {
  return key === 'additionalProperties' && value === false && 'properties' in node
}

function arrangeProperty(property: Json, io: Direction): unknown {
  const arranged = arrange(property, io) as Json
  if (!('default' in arranged)) return arranged
  const { default: value, description, ...rest } = arranged
  const described = description === undefined ? {} : { description }
  return io === 'output' ? { ...described, ...rest } : { ...described, allOf: [{ ...rest, default: value }] }
}

function mapValues(object: Json, change: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]))
}

const LOCAL = /^#\/(?:\$defs|components\/schemas)\/(.+)$/

/** Renames the targets of all references to schemas. */
function redirect(node: unknown, rename: (id: string) => string): unknown {
  if (Array.isArray(node)) return node.map(entry => redirect(entry, rename))
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => {
    const target = key === '$ref' && typeof value === 'string' ? LOCAL.exec(value)?.[1] : undefined
    return [key, target ? `#/components/schemas/${rename(target)}` : redirect(value, rename)]
  })
  return Object.fromEntries(entries)
}
