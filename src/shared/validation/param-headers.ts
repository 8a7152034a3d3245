import type { BuildRequest } from '../definitions/definitions.ts'
import { joinPath } from '../json/json-walk.ts'
import { HTTP_TOKEN } from '../names.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'
import { listSubschemas } from './subschemas.ts'

const KEYWORD = 'x-mcp-header'
const PRIMITIVES = ['string', 'integer', 'number', 'boolean']

/** Clients ignore a tool whose `x-mcp-header` violates one of these rules (MCP 2026-07-28, SEP-2243). */
export function findParamHeaderProblems({ tools = [] }: BuildRequest): DefinitionProblem[] {
  return tools.flatMap(({ inputSchema }, index) => {
    const seen = new Set<string>()
    return listSubschemas(`tools[${index}].inputSchema`, inputSchema).flatMap(
      ({ path, schema, isArgument }) => {
        if (!Object.hasOwn(schema, KEYWORD)) return []
        const name = schema[KEYWORD]
        const message = describeFault(name, schema.type, isArgument, seen)
        seen.add(String(name).toLowerCase())
        return message ? problem(joinPath(path, KEYWORD), message) : []
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
  if (typeof name !== 'string' || !HTTP_TOKEN.test(name))
    return `${JSON.stringify(name)} is not valid in an HTTP header name; use for example "Region"`
  if (seen.has(name.toLowerCase())) return `"${name}" is already the header of another argument`
  if (!isArgument) return 'is only allowed on arguments that are nested only in "properties"'
  if (!PRIMITIVES.includes(String(type)))
    return `is only allowed on arguments of type ${PRIMITIVES.map(one => `"${one}"`).join(', ')}`
  return undefined
}
