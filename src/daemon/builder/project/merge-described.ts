import type { Described } from '../../../shared/artifact.ts'
import type { BuildRequest, Handler } from '../../../shared/definitions.ts'
import { modulePath } from './find-modules.ts'

interface Defined {
  handler?: Handler | undefined
}

/**
 * The request with all that the modules define. What the request says of a definition goes before what the module says;
 * the request's own come first, the others in the order of their files.
 */
export function mergeDescribed(
  request: BuildRequest,
  { tools, resources, prompts }: Described,
): BuildRequest {
  return {
    ...request,
    tools: merge(request.tools, tools),
    resources: merge(request.resources, resources),
    prompts: merge(request.prompts, prompts),
  }
}

function merge<Definition extends Defined>(
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

/** Of the module and export that answer; undefined for what is declared, and for what is no definition at all. */
function keyOf(definition: Defined | null): string | undefined {
  const handler = definition?.handler
  return handler?.type === 'module' ? `${modulePath(handler.path)}#${handler.export}` : undefined
}
