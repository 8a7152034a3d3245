import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { compareInputs } from '../../../src/shared/surface/compare-schemas.ts'

type Json = Record<string, unknown>

/** Reproducible random numbers from 0 to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Small schemas of few names and values, so that two schemas often have much in common. */
class Fuzz {
  readonly #random: () => number
  constructor(seed: number) {
    this.#random = randomFrom(seed)
  }

  schema(depth = 0): Json {
    const kinds = ['string', 'number', 'integer', 'boolean', 'enum', 'const', 'any', 'types']
    const kind = this.pick(depth < 2 ? [...kinds, 'object', 'object', 'array', 'anyOf'] : kinds)
    switch (kind) {
      case 'string':
        return { type: 'string', ...this.maybe('minLength', [0, 1, 2]), ...this.maybe('maxLength', [2, 3]) }
      case 'number':
      case 'integer':
        return {
          type: kind,
          ...this.maybe('minimum', [0, 1, 2]),
          ...this.maybe('exclusiveMaximum', [2, 3, 9]),
        }
      case 'enum':
        return { enum: this.some(['a', 'b', 1, null, true]) }
      case 'const':
        return { const: this.pick(['a', 1]) }
      case 'any':
        return {}
      case 'types':
        return { type: this.some(['string', 'number', 'null', 'array']) }
      case 'array':
        return { type: 'array', items: this.schema(depth + 1), ...this.maybe('maxItems', [1, 2]) }
      case 'anyOf':
        return { anyOf: [this.schema(depth + 1), this.schema(depth + 1)] }
      case 'object':
        return this.object(depth)
      default:
        return { type: 'boolean' }
    }
  }

  object(depth = 0): Json {
    const names = this.some(['a', 'b', 'c'])
    const closed = this.#random() < 0.3 ? { additionalProperties: false } : {}
    const properties = Object.fromEntries(names.map(name => [name, this.schema(depth + 1)]))
    return { type: 'object', properties, required: names.filter(() => this.#random() < 0.4), ...closed }
  }

  /** A value that is probably valid and has only properties that the schema names. */
  value(schema: Json): unknown {
    if (Array.isArray(schema.anyOf)) return this.value(this.pick(schema.anyOf as Json[]))
    if (Array.isArray(schema.enum)) return this.pick(schema.enum)
    if ('const' in schema) return schema.const
    switch (schema.type) {
      case 'object': {
        const required = schema.required as string[]
        const entries = Object.entries(schema.properties as Record<string, Json>)
        const given = entries.filter(([name]) => required.includes(name) || this.#random() < 0.5)
        return Object.fromEntries(given.map(([name, inner]) => [name, this.value(inner)]))
      }
      case 'array':
        return Array.from({ length: Math.floor(this.#random() * 3) }, () =>
          this.value((schema.items as Json) ?? {}),
        )
      default:
        return this.pick(['', 'a', 'b', 'abc', 0, 1, 1.5, 2, 5, true, null, ['a'], {}])
    }
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!
  }

  some<T>(list: readonly T[]): T[] {
    const chosen = list.filter(() => this.#random() < 0.6)
    return chosen.length > 0 ? chosen : [this.pick(list)]
  }

  maybe(word: string, values: number[]): Json {
    return this.#random() < 0.4 ? { [word]: this.pick(values) } : {}
  }
}

test('a schema without breaking changes accepts all values that the previous schema accepted', () => {
  const ajv = new Ajv2020({ strict: false })
  let compatible = 0
  for (let seed = 0; seed < 2000; seed++) {
    const fuzz = new Fuzz(seed)
    const before = fuzz.object()
    // Half of the time, a variant of the same schema.
    const after =
      seed % 2
        ? fuzz.object()
        : { ...before, properties: { ...(before.properties as Json), a: fuzz.schema(1) } }
    if (compareInputs('', before, after).some(({ kind }) => kind === 'breaking')) continue
    compatible++
    const [isOld, isNew] = [ajv.compile(before), ajv.compile(after)]
    for (let round = 0; round < 40; round++) {
      const value = fuzz.value(before)
      if (isOld(value)) expect(isNew(value), JSON.stringify({ seed, before, after, value })).toBe(true)
    }
  }
  expect(compatible).toBeGreaterThan(100)
})

test('a schema compared with itself has no breaking changes', () => {
  for (let seed = 0; seed < 500; seed++) {
    const schema = new Fuzz(seed).object()
    expect(compareInputs('', schema, structuredClone(schema))).toEqual([])
  }
})
