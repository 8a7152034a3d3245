import { expect, test } from 'vitest'
import { check } from '../../../src/console/schema-form/check/check.ts'
import { hintsOf } from '../../../src/console/schema-form/model/hints.ts'
import { SchemaDocument } from '../../../src/console/schema-form/model/schema-document.ts'
import { hasDraft, type State, toJson } from '../../../src/console/schema-form/model/state.ts'
import { compileSchema, type JsonSchema } from '../../../src/shared/json/json-schema.ts'
import { cases } from './cases.ts'
import { fill, throughText } from './fill.ts'

const features = Object.entries(Object.groupBy(cases, ({ feature }) => feature))

test('there are at least 200 different schemas', () => {
  expect(new Set(cases.map(({ schema }) => JSON.stringify(schema))).size).toBeGreaterThanOrEqual(200)
})

test.each(features)('builds the valid values of schemas with %s', (_feature, list) => {
  for (const { schema, valid } of list!) {
    const document = new SchemaDocument(schema)
    const isValid = compile(schema)
    for (const value of valid) {
      const state = fill(schema, value, document)
      const where = JSON.stringify({ schema, value })
      expect(toJson(state), where).toEqual(value)
      expect(hasDraft(state), where).toBe(false)
      expect(isValid(toJson(state)), where).toBe(true)
      expect(check(schema, state, document), where).toEqual([])
    }
  }
})

test.each(features)('reports invalid values of schemas with %s', (_feature, list) => {
  for (const { schema, invalid } of list!) {
    const document = new SchemaDocument(schema)
    const isValid = compile(schema)
    for (const value of invalid) {
      const where = JSON.stringify({ schema, value })
      expect(isValid(value), where).toBe(false)
      const hints = [...hintsOf(value as State, document, true).values()].flat()
      expect(hints.length, where).toBeGreaterThan(0)
      for (const hint of hints) expect(hint, where).toMatch(/^\S.{5,}/)
    }
  }
})

test('values survive editing as raw JSON unchanged', () => {
  for (const { valid, invalid } of cases) {
    for (const value of [...valid, ...invalid]) expect(toJson(throughText(value as State))).toEqual(value)
  }
})

function compile(schema: JsonSchema | boolean): (value: unknown) => boolean {
  if (typeof schema === 'boolean') return () => schema
  const validate = compileSchema(schema)
  return value => validate(value)
}
