import type { Handler as Definition } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { withEmit } from './emit.ts'
import { type Handler, HandlerError } from './handler.ts'
import { loadHttp, loadLiquid, loadTemplates } from './load.ts'
import { createTemplateHandler } from './templates/template-handler.ts'

/** Creates a handler from its definition and loads what it needs. */
export async function createHandler(definition: Definition, tenant: Tenant): Promise<Handler> {
  // HTTP requests need our Liquid filters, which encode values for URLs.
  const templates = await (definition.type === 'http' ? loadLiquid() : loadTemplates(definition))
  switch (definition.type) {
    case 'template':
      return withEmit(definition.emit, createTemplateHandler(definition, templates), templates)
    case 'http': {
      const { createHttpHandler } = await loadHttp()
      return withEmit(definition.emit, createHttpHandler(definition, tenant, templates), templates)
    }
    case 'module':
      throw new HandlerError(
        'Module handlers require the template "custom", which runs in a dedicated process',
      )
  }
}
