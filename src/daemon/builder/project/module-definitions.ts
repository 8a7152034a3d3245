import type { BuildRequest } from '../../../shared/definitions/definitions.ts'
import { HostingError } from '../../../shared/errors.ts'
import { type DefinitionProblem, describeProblem } from '../../../shared/validation/definition-problem.ts'
import { validateDefinitions } from '../../../shared/validation/validate-definitions.ts'
import type { ProjectModule } from './find-modules.ts'

/**
 * Validates definitions from modules like other definitions. Throws INVALID_MCP with problems that name the module:
 * `tools/add.ts: inputSchema.type: …`.
 */
export function parseModuleDefinitions(
  request: BuildRequest,
  modules: readonly ProjectModule[],
): BuildRequest {
  const result = validateDefinitions(request)
  if ('request' in result) return result.request
  const lines = result.problems.map(problem => describeProblem(inModules(problem, request, modules)))
  const more = lines.length > 1 ? ` (and ${lines.length - 1} more)` : ''
  throw new HostingError('INVALID_MCP', `The definitions are not valid: ${lines[0]}${more}`, {
    details: lines.join('\n'),
  })
}

let isPrepared = false

/** Creates the validators for JSON Schemas, which takes about 60 ms. Called while the build waits for another process. */
export function prepareValidation(): void {
  if (isPrepared) return
  isPrepared = true
  const schema = { type: 'object', properties: { text: { type: 'string' } } }
  const tool = { name: 'sample', description: 'Sample', inputSchema: schema, outputSchema: schema }
  validateDefinitions({ name: 'sample', template: 'custom', tools: [tool] })
}

const ENTRY_PATH = /\b(tools|resources|prompts)\[(\d+)\]/g

/** `tools[1].name`: `"add" is already the name of tools[0]` → `tools/sum.ts: name`: `… of tools/add.ts` */
function inModules(
  { path, message }: DefinitionProblem,
  request: BuildRequest,
  modules: readonly ProjectModule[],
): DefinitionProblem {
  const named = (text: string) =>
    text.replace(ENTRY_PATH, (entry, list: 'tools' | 'resources' | 'prompts', index: string) => {
      const definition = request[list]?.[Number(index)]
      return (definition && moduleOf(definition, modules)) ?? entry
    })
  return { path: named(path).replace(/(\.m?[jt]s)\./, '$1: '), message: named(message) }
}

function moduleOf(definition: object, modules: readonly ProjectModule[]): string | undefined {
  const handler = (definition as { handler?: { type?: string; path?: string } }).handler
  return modules.find(({ path }) => handler?.type === 'module' && path === handler.path)?.path
}
