import { readFileSync } from 'node:fs'
import type { JsonSchema } from '../../../src/shared/json/json-schema.ts'

/** Schemas for the features of the JSON Schema test suite (https://github.com/json-schema-org/JSON-Schema-Test-Suite). */
export interface Case {
  feature: string
  schema: JsonSchema | boolean
  valid: unknown[]
  invalid: unknown[]
}

const path = new URL('../../fixtures/console/schemas.json', import.meta.url)

export const cases: Case[] = JSON.parse(readFileSync(path, 'utf8'))

interface ServedCase extends Case {
  name: string
  schema: JsonSchema
}

/** A tool with an argument `value` for each schema that hosted servers support. */
export function servedCases(): ServedCase[] {
  return cases.filter(isServed).map(({ schema, ...values }, index) => {
    const { $schema, ...value } = Object(rebased(schema))
    return {
      ...values,
      name: `tool${index}`,
      schema: {
        ...($schema && { $schema }),
        type: 'object',
        properties: { value: typeof schema === 'boolean' ? schema : value },
        required: ['value'],
      },
    }
  })
}

/** Definition of a server with these tools. */
export function serverWith(tools: readonly ServedCase[]): object {
  const handler = { type: 'template', text: 'accepted' }
  return {
    name: 'schemas',
    template: 'basic',
    tools: tools.map(({ name, feature, schema }) => ({
      ...{ name, description: feature, inputSchema: schema, handler },
    })),
  }
}

/** False for a schema with references by URL, which the build rejects. */
function isServed({ schema }: Case): boolean {
  return !JSON.stringify(schema).includes('"$ref":"https:')
}

/** Changes references within a schema, so that it can become part of another schema. */
function rebased(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(rebased)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [
      name,
      /^\$(dynamicR|r)ef$/.test(name) && typeof member === 'string'
        ? member.replace(/^#(?=\/|$)/, '#/properties/value')
        : rebased(member),
    ]),
  )
}
