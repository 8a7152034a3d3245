import { loadTemplates } from './handlers/load.ts'
import { createScope, type ServerScope } from './handlers/scope.ts'
import { type CallContext, type CompleteParams, type CompleteResult, RpcError } from './prepared-server.ts'
import type { Prompts } from './prompts.ts'
import type { Resources } from './resources.ts'

/** MCP: a completion holds at most 100 values. */
const MAX_VALUES = 100

export type CompleteValues = (params: CompleteParams, call: CallContext) => Promise<CompleteResult>

/** Completes variables of prompts and resource templates: values that start with what was typed, in their order. */
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
    return { completion: narrow(values, params.argument.value) }
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

  /** One value a line; `context.arguments` holds what the client filled in before. */
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

function narrow(values: string[], typed: string): CompleteResult['completion'] {
  const prefix = typed.toLowerCase()
  const matching = values.filter(value => value.toLowerCase().startsWith(prefix))
  return {
    values: matching.slice(0, MAX_VALUES),
    total: matching.length,
    hasMore: matching.length > MAX_VALUES,
  }
}
