import type { IncomingMessage } from 'node:http'
import { header } from '../../http/headers.ts'
import type { PreparedTool } from '../../server/prepared-server.ts'
import { isObject } from '../json-rpc.ts'
import { decodeHeaderValue } from './header-value.ts'

/** A tool argument that clients repeat in the header `Mcp-Param-<name>` (SEP-2243, `x-mcp-header`). */
interface MirroredParameter {
  header: string
  path: readonly string[]
  isNumber: boolean
}

/** First contradiction between the `Mcp-Param-*` headers of a call and its arguments. */
export function findParamFault(http: IncomingMessage, tool: PreparedTool, args: unknown): string | undefined {
  for (const parameter of mirroredParameters(tool.inputSchema)) {
    const fault = compare(header(http, parameter.header), parameter, valueAt(args, parameter.path))
    if (fault !== undefined) return fault
  }
  return undefined
}

const known = new WeakMap<object, readonly MirroredParameter[]>()

function mirroredParameters(schema: Record<string, unknown>): readonly MirroredParameter[] {
  let parameters = known.get(schema)
  if (!parameters) {
    parameters = [...findParameters(schema, [])]
    known.set(schema, parameters)
  }
  return parameters
}

// Only properties that are reached through `properties` alone can be repeated.
function* findParameters(schema: unknown, path: readonly string[]): Generator<MirroredParameter> {
  if (!isObject(schema)) return
  const name = schema['x-mcp-header']
  if (typeof name === 'string' && path.length > 0)
    yield { header: `mcp-param-${name.toLowerCase()}`, path, isNumber: isNumeric(schema.type) }
  if (!isObject(schema.properties)) return
  for (const [property, member] of Object.entries(schema.properties))
    yield* findParameters(member, [...path, property])
}

function isNumeric(type: unknown): boolean {
  return type === 'integer' || type === 'number'
}

/**
 * Compares a header with its argument. Values that are absent, null or not primitive have no header. The schema check reports
 * invalid values.
 */
function compare(
  sent: string | undefined,
  { header: name, path, isNumber }: MirroredParameter,
  value: unknown,
): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined
  const field = path.join('.')
  if (sent === undefined) return `the header ${name} is required because the body has "${field}"`
  const decoded = decodeHeaderValue(sent)
  if (decoded === undefined) return `${name} is not valid base64 between =?base64? and ?=`
  // 42.0 and 42 are equal.
  const isSame =
    isNumber && typeof value === 'number' && /^-?\d+(\.\d+)?$/.test(decoded)
      ? Number(decoded) === value
      : decoded === String(value)
  return isSame
    ? undefined
    : `${name} is ${JSON.stringify(decoded)} but "${field}" in the body is ${JSON.stringify(value)}`
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const property of path) {
    if (!isObject(value) || !Object.hasOwn(value, property)) return undefined
    value = value[property]
  }
  return value
}
