import { setSourceMapsSupport } from 'node:module'
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../../sdk/define.ts'
import { registerHooks } from '../isolation/loader-seal.ts'

/** One module of the project with what it exports. */
export type LoadedModule =
  | { kind: 'tool'; path: string; export: string; definition: ToolDefinition | ToolDefinition['handler'] }
  | {
      kind: 'resource'
      path: string
      export: string
      definition: ResourceDefinition | ResourceDefinition['handler']
    }
  | {
      kind: 'prompt'
      path: string
      export: string
      definition: PromptDefinition | PromptDefinition['handler']
    }

/** Where the code seems to lie; its source map's files lie beside it, `/server/tools/add.ts`. Nothing is read there. */
const BUNDLE_URL = 'file:///server/server.mjs'
export const SOURCE_ROOT = '/server/'

let loads = 0

/** Node keeps what it loaded by its URL. */
function nextUrl(): string {
  return loads++ === 0 ? BUNDLE_URL : `${BUNDLE_URL}?${loads}`
}

/**
 * Runs a bundle's code and gives what it defines. Rejects with what the code throws, whose stack names the project's own
 * files and lines. The process may read no files, so the text is given to Node by a hook that is gone afterwards; unlike a
 * `data:` URL that gives a stack with short names, and source maps that are applied.
 */
export async function loadBundle(text: string, url = nextUrl()): Promise<LoadedModule[]> {
  setSourceMapsSupport(true, { nodeModules: true, generatedCode: true })
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === url ? { url, format: 'module', shortCircuit: true } : next(specifier, context),
    load: (loaded, context, next) =>
      loaded === url
        ? { format: 'module', source: text, shortCircuit: true }
        : next(loaded, requireFormat(loaded, context)),
  })
  try {
    const { default: project } = await import(url)
    return project.definitions.map(checkModule)
  } finally {
    hooks.deregister()
  }
}

/** Node's own error for a `data:` URL of another type names a hook that no user has written. */
function requireFormat<Context extends { format?: string | null | undefined }>(
  url: string,
  context: Context,
): Context {
  if (!url.startsWith('data:') || context.format) return context
  const type = /^data:([^;,]*)/.exec(url)?.[1] || 'text/plain'
  throw new TypeError(
    `A data: URL of type "${type}" cannot be imported; Node imports text/javascript, application/json and application/wasm.`,
  )
}

function checkModule(module: LoadedModule): LoadedModule {
  const { kind, path, export: name, definition } = module
  const what = name === 'default' ? path : `${path} (export "${name}")`
  if (typeof definition === 'function') return module
  const handler = (definition as { handler?: unknown } | null)?.handler
  if (typeof handler !== 'function')
    throw new Error(
      `${what} exports no ${kind}: it must be what ${DEFINE[kind]}({…}) of mcp-hosting/server returns, with a handler.`,
    )
  if (definition.kind !== undefined && definition.kind !== kind)
    throw new Error(`${what} exports a ${definition.kind}, but stands where a ${kind} belongs.`)
  return module
}

const DEFINE = { tool: 'defineTool', resource: 'defineResource', prompt: 'definePrompt' } as const
