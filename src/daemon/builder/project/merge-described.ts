import type { DescribedServer } from '../../../shared/definitions/artifact.ts'
import type { BuildRequest, Handler } from '../../../shared/definitions/definitions.ts'
import { modulePath } from './find-modules.ts'

interface WithHandler {
  handler?: Handler | undefined
}

/**
 * Adds the modules' definitions to the request. Fields of the request take precedence over those of the module. Definitions of
 * the request come first, and the others follow in the order of their files.
 */
export function mergeDescribed(
  request: BuildRequest,
  { tools, resources, prompts }: DescribedServer,
): BuildRequest {
  return {
    ...request,
    tools: merge(request.tools, tools),
    resources: merge(request.resources, resources),
    prompts: merge(request.prompts, prompts),
  }
}

function merge<Definition extends WithHandler>(
  given: readonly Definition[] = [],
  described: readonly Definition[],
): Definition[] {
  const left = new Map(described.map(one => [keyOf(one), one]))
  const merged = given.map(definition => {
    const key = keyOf(definition)
    const module = key === undefined ? undefined : left.get(key)
    if (key !== undefined) left.delete(key)
    return module ? { ...module, ...definition, handler: module.handler } : definition
  })
  return [...merged, ...left.values()]
}

/** Module and export of the handler. Undefined for declared and invalid definitions. */
function keyOf(definition: WithHandler | null): string | undefined {
  const handler = definition?.handler
  return handler?.type === 'module' ? `${modulePath(handler.path)}#${handler.export}` : undefined
}
