import type { BuildRequest } from '../definitions.ts'
import { joinPath } from '../json-walk.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { listSubschemas } from './subschemas.ts'

const KEYWORD = 'x-mcp-header'
/** https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2 */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const PRIMITIVES = ['string', 'integer', 'number', 'boolean']

/** Clients leave out a tool whose `x-mcp-header` breaks one of these rules (MCP 2026-07-28, SEP-2243). */
export function findParamHeaderProblems({ tools = [] }: BuildRequest): DefinitionProblem[] {
  return tools.flatMap(({ inputSchema }, index) => {
    const seen = new Set<string>()
    return listSubschemas(`tools[${index}].inputSchema`, inputSchema).flatMap(
      ({ path, schema, isArgument }) => {
        if (!Object.hasOwn(schema, KEYWORD)) return []
        const name = schema[KEYWORD]
        const message = describeFault(name, schema.type, isArgument, seen)
        seen.add(String(name).toLowerCase())
        return message ? [{ path: joinPath(path, KEYWORD), message }] : []
      },
    )
  })
}

function describeFault(
  name: unknown,
  type: unknown,
  isArgument: boolean,
  seen: ReadonlySet<string>,
): string | undefined {
  if (typeof name !== 'string' || !TOKEN.test(name))
    return `${JSON.stringify(name)} cannot be a part of an HTTP header's name, as "Region" can`
  if (seen.has(name.toLowerCase())) return `"${name}" is the header of another argument already`
  if (!isArgument) return 'is only for arguments that "properties" alone lead to'
  if (!PRIMITIVES.includes(String(type)))
    return `is only for arguments of type ${PRIMITIVES.map(one => `"${one}"`).join(', ')}`
  return undefined
}
