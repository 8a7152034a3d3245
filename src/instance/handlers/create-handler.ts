import type { Handler as Definition } from '../../shared/definitions.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { withEmit } from './emit.ts'
import { type Handler, HandlerError } from './handler.ts'
import { loadHttp, loadLiquid, loadTemplates } from './load.ts'
import { createTemplateHandler } from './template-handler.ts'

/** Makes a handler of its definition, loading what it needs. */
export async function createHandler(definition: Definition, tenant: Tenant): Promise<Handler> {
  // Requests are made with filters of our own, which encode what goes into a URL.
  const templates = await (definition.type === 'http' ? loadLiquid() : loadTemplates(definition))
  switch (definition.type) {
    case 'template':
      return withEmit(definition.emit, createTemplateHandler(definition, templates), templates)
    case 'http': {
      const { createHttpHandler } = await loadHttp()
      return withEmit(definition.emit, createHttpHandler(definition, tenant, templates), templates)
    }
    case 'module':
      throw new HandlerError('Module handlers belong to template custom, which runs in a process of its own')
  }
}
