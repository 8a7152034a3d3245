import type { Tool } from '@modelcontextprotocol/client'
import type { BuildRequest, ToolDefinition } from '../../shared/definitions/definitions.ts'

export interface SampleCall {
  tool: string
  arguments: Record<string, unknown>
}

interface Schema {
  type?: string | string[]
  default?: unknown
  const?: unknown
  examples?: unknown[]
  enum?: unknown[]
  minimum?: number
  minLength?: number
  minItems?: number
  format?: string
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

/**
 * A read-only call that demonstrates the server. Made-up arguments must never create or delete anything in the API behind a
 * tool. Undefined when no tool is known to be read-only.
 */
export function pickSampleCall(tools: readonly Tool[], request: BuildRequest): SampleCall | undefined {
  const harmless = tools.filter(tool =>
    isHarmless(
      tool.annotations,
      request.tools?.find(({ name }) => name === tool.name),
    ),
  )
  const calls = harmless.map(tool => ({ tool, value: sampleValue(tool.inputSchema as Schema) }))
  // Tools are more likely to accept values from their own definition than made-up values.
  const best = calls.find(({ value }) => !value.madeUp) ?? calls[0]
  return best && { tool: best.tool.name, arguments: best.value.value as Record<string, unknown> }
}

/** For a tool with code, only its annotations count. */
function isHarmless(annotations: Tool['annotations'], definition: ToolDefinition | undefined): boolean {
  if (annotations?.readOnlyHint) return true
  if (!definition || annotations?.destructiveHint) return false
  const { handler } = definition
  return (
    !handler ||
    handler.type === 'template' ||
    (handler.type === 'http' && /^(GET|HEAD)$/.test(handler.method))
  )
}

interface Sample {
  value: unknown
  /** True when the value was not taken from the schema. */
  madeUp: boolean
}

/** A value that fits common schemas, taken from the schema if possible. */
export function sampleValue(schema: Schema): Sample {
  const given = [schema.default, schema.const, schema.examples?.[0], schema.enum?.[0]].find(
    one => one !== undefined,
  )
  if (given !== undefined) return { value: given, madeUp: false }
  switch ([schema.type].flat()[0]) {
    case 'object':
      return sampleObject(schema)
    case 'array':
      return sampleArray(schema)
    case 'integer':
    case 'number':
      return { value: Math.max(1, Math.ceil(schema.minimum ?? 1)), madeUp: true }
    case 'boolean':
      return { value: true, madeUp: true }
    case 'null':
      return { value: null, madeUp: false }
    default:
      return { value: sampleText(schema), madeUp: true }
  }
}

/** Only required properties. */
function sampleObject({ properties = {}, required = [] }: Schema): Sample {
  const samples = required.map(name => [name, sampleValue(properties[name] ?? {})] as const)
  return {
    value: Object.fromEntries(samples.map(([name, sample]) => [name, sample.value])),
    madeUp: samples.some(([, sample]) => sample.madeUp),
  }
}

function sampleArray({ items = {}, minItems = 1 }: Schema): Sample {
  // Distinct values if possible, because lists often require them.
  if (items.enum && items.enum.length >= minItems)
    return { value: items.enum.slice(0, Math.max(minItems, 1)), madeUp: false }
  const sample = sampleValue(items)
  return { value: Array.from({ length: Math.max(minItems, 1) }, () => sample.value), madeUp: sample.madeUp }
}

const TEXT_OF_FORMAT: Readonly<Record<string, string>> = {
  date: '2026-01-01',
  'date-time': '2026-01-01T00:00:00Z',
  time: '00:00:00Z',
  email: 'user@example.com',
  uri: 'https://example.com/',
  uuid: '00000000-0000-4000-8000-000000000000',
  ipv4: '192.0.2.1',
  hostname: 'example.com',
}

function sampleText({ format = '', minLength = 0 }: Schema): string {
  return TEXT_OF_FORMAT[format] ?? 'example'.padEnd(minLength, 'x')
}
