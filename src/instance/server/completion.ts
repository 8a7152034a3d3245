import { loadTemplates } from '../handlers/load.ts'
import { createScope, type ServerScope } from '../handlers/templates/scope.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import type { CallContext } from './client-context.ts'
import type { Prompts } from './prompts.ts'
import type { Resources } from './resources.ts'
import type { CompleteParams, CompleteResult } from './results.ts'

/** MCP: a completion holds at most 100 values. */
const MAX_VALUES = 100

export type CompleteValues = (params: CompleteParams, call: CallContext) => Promise<CompleteResult>

/** Completes variables of prompts and resource templates with the values that start with the typed text. */
export function createCompletion(
  prompts: Prompts,
  resources: Resources,
  server: ServerScope,
): CompleteValues {
  return async (params, call) => {
    const completions = completionsOf(params.ref)
    const { name } = params.argument
    const source = Object.hasOwn(completions, name) ? completions[name]! : []
    const values = typeof source === 'string' ? await render(source, params, call) : source
    const prefix = params.argument.value.toLowerCase()
    return toCompletion(values.filter(value => value.toLowerCase().startsWith(prefix)))
  }

  function completionsOf(ref: CompleteParams['ref']): Record<string, string[] | string> {
    const definition =
      ref.type === 'ref/prompt'
        ? prompts.find(ref.name)
        : (resources.templates.find(({ uri }) => uri === ref.uri) ?? resources.find(ref.uri)?.resource)
    if (definition) return definition.completions ?? {}
    const what = ref.type === 'ref/prompt' ? `prompt: ${ref.name}` : `resource template: ${ref.uri}`
    throw new RpcError(-32602, `Unknown ${what}`)
  }

  /** Renders one value per line. `context.arguments` holds the variables that the client has already filled in. */
  async function render(source: string, { context }: CompleteParams, call: CallContext): Promise<string[]> {
    const templates = await loadTemplates(source)
    const scope = createScope(server, context?.arguments ?? {}, call)
    const rendering = new templates.Rendering({
      ...scope,
      context: { ...scope.context, arguments: scope.args },
    })
    const lines = templates.compileText(source)(rendering).split('\n')
    return [...new Set(lines.map(line => line.trim()).filter(line => line !== ''))]
  }
}

export function toCompletion(values: string[]): CompleteResult {
  const hasMore = values.length > MAX_VALUES
  return { completion: { values: values.slice(0, MAX_VALUES), total: values.length, hasMore } }
}
