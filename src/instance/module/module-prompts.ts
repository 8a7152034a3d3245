import type { PromptDefinition } from '../../sdk/define.ts'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import type { ClientContext } from '../server/client-context.ts'
import type { GetPromptResult } from '../server/results.ts'
import { throwQuestion, toPromptResult } from './answer.ts'
import type { HandlerErrors } from './handler-errors.ts'
import { ModuleContext, type ModuleScope } from './module-context.ts'

export interface ModulePrompt {
  prompt: Artifact['prompts'][number]
  definition: PromptDefinition | PromptDefinition['handler']
}

/** Runs a prompt's handler. Throws RpcError for a missing argument or a failed handler. */
export async function getModulePrompt(
  { prompt, definition }: ModulePrompt,
  args: Record<string, string>,
  call: ClientContext,
  { scope, errors }: { scope: ModuleScope; errors: HandlerErrors },
): Promise<GetPromptResult> {
  const { name, description } = prompt
  const missing = prompt.arguments.find(one => one.required && !Object.hasOwn(args, one.name))
  if (missing) throw new RpcError(-32602, `Prompt ${name} needs the argument "${missing.name}"`)
  try {
    const handler = typeof definition === 'function' ? definition : definition.handler.bind(definition)
    const value = await handler({ ...args }, new ModuleContext(scope, call))
    throwQuestion(value)
    return toPromptResult(value, description)
  } catch (error) {
    throw new RpcError(-32603, `Prompt ${name}: ${errors.describe(`Prompt ${name}`, error, call)}`)
  }
}
