import type { BuildRequest, ToolDefinition } from '../definitions/definitions.ts'
import { liquidEngine } from '../definitions/liquid.ts'
import { RESERVED_NAMES } from '../definitions/prompt-variables.ts'
import { isUriTemplate, parseUriTemplate } from '../definitions/uri-template.ts'
import { nearestName } from '../names.ts'
import type { DefinitionProblem } from './definition-problem.ts'
import { listTemplates } from './templates.ts'

/** Templates that read a name that never has a value. Checked only if all possible arguments are known. */
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
      .map(name => ({ path, message: `reads "${name}", which does not exist; ${advice(name, known)}` }))
  })
}

/** Keywords that may allow arguments besides `properties`. */
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

/** All possible arguments. Undefined when a caller may send other arguments. */
function closedArguments({ inputSchema }: ToolDefinition): string[] | undefined {
  if (inputSchema.additionalProperties !== false) return undefined
  if (OPENING.some(keyword => keyword in inputSchema)) return undefined
  return Object.keys((inputSchema.properties as object | undefined) ?? {})
}

function uriVariables(uri: string): readonly string[] {
  return isUriTemplate(uri) ? parseUriTemplate(uri).variables : []
}

/** Names read at the top level and as `args.<name>`, without the reserved ones. */
function argumentNames(source: string): string[] {
  const segments = liquidEngine().globalVariableSegmentsSync(liquidEngine().parse(source))
  const names = segments.flatMap(([root, next]) => {
    if (root === 'args') return typeof next === 'string' ? [next] : []
    return typeof root === 'string' && !isReserved(root) ? [root] : []
  })
  return [...new Set(names)]
}

/** LiquidJS reports `continue` in `offset: continue` as a variable. */
function isReserved(name: string): boolean {
  return name === 'continue' || (RESERVED_NAMES as readonly string[]).includes(name)
}

function advice(name: string, known: readonly string[]): string {
  const near = nearestName(name, [...known, ...RESERVED_NAMES])
  if (near) return `did you mean "${near}"?`
  const listed = known.slice(0, 20).map(one => `"${one}"`)
  return listed.length > 0 ? `known names: ${listed.join(', ')}` : 'there are no arguments'
}
