import type { BuildRequest, ToolDefinition } from '../definitions.ts'
import { liquidEngine } from '../liquid.ts'
import { nearestName } from '../names.ts'
import { RESERVED_NAMES } from '../prompt-variables.ts'
import { isUriTemplate, parseUriTemplate } from '../uri-template.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'
import { listTemplates } from './templates.ts'

/** Templates that read a name which can never have a value: where the arguments are known to be all there are. */
export function findUnknownNames(request: BuildRequest): DefinitionProblem[] {
  return listTemplates(request).flatMap(({ path, source }) => {
    const [, list, index] = /^(tools|resources)\[(\d+)\]/.exec(path) ?? []
    const known =
      list === 'tools'
        ? closedArguments(request.tools![Number(index)]!)
        : list === 'resources'
          ? uriVariables(request.resources![Number(index)]!.uri)
          : undefined
    if (!known) return []
    return argumentNames(source)
      .filter(name => !known.includes(name))
      .map(name => ({ path, message: `reads "${name}", which there is not: ${advice(name, known)}` }))
  })
}

/** Keywords that may bring in arguments which `properties` does not tell. */
const OPENING = [
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  '$ref',
  '$dynamicRef',
]

/** The only arguments there can be; undefined where a caller may send others. */
function closedArguments({ inputSchema }: ToolDefinition): string[] | undefined {
  if (inputSchema.additionalProperties !== false) return undefined
  if (OPENING.some(keyword => keyword in inputSchema)) return undefined
  return Object.keys((inputSchema.properties as object | undefined) ?? {})
}

function uriVariables(uri: string): readonly string[] {
  return isUriTemplate(uri) ? parseUriTemplate(uri).variables : []
}

/** Names read at the top level and as `args.<name>`, apart from those that every template can read. */
function argumentNames(source: string): string[] {
  const segments = liquidEngine().globalVariableSegmentsSync(liquidEngine().parse(source))
  const names = segments.flatMap(([root, next]) => {
    if (root === 'args') return typeof next === 'string' ? [next] : []
    return typeof root === 'string' && !isReserved(root) ? [root] : []
  })
  return [...new Set(names)]
}

/** The engine takes `continue` in `offset: continue` for a variable. */
function isReserved(name: string): boolean {
  return name === 'continue' || (RESERVED_NAMES as readonly string[]).includes(name)
}

function advice(name: string, known: readonly string[]): string {
  const near = nearestName(name, [...known, ...RESERVED_NAMES])
  if (near) return `did you mean "${near}"?`
  const listed = known.slice(0, 20).map(one => `"${one}"`)
  return listed.length > 0 ? `there are ${listed.join(', ')}` : 'there are no arguments'
}
