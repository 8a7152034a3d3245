import type { Entry } from '../../../../mcp/catalog.ts'
import { isObject, type Params } from '../../../../mcp/messages.ts'

/** URI of the app that shows the calls of a tool (MCP Apps 2026-01-26). Undefined for tools without one and for other entries. */
export function appUri({ kind, source }: Entry): string | undefined {
  if (kind !== 'tool') return undefined
  // The second name is from drafts of the extension.
  const uri = uiMeta(source).resourceUri ?? metaOf(source)['ui/resourceUri']
  return typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined
}

/** Whether apps may call a tool. A server can reserve a tool for models. */
export function isForApps({ kind, source }: Entry): boolean {
  const { visibility } = uiMeta(source)
  return kind === 'tool' && (!Array.isArray(visibility) || visibility.includes('app'))
}

/** `_meta.ui` of a tool or resource. */
export function uiMeta(source: Params): Params {
  const { ui } = metaOf(source)
  return isObject(ui) ? ui : {}
}

function metaOf({ _meta }: Params): Params {
  return isObject(_meta) ? _meta : {}
}
