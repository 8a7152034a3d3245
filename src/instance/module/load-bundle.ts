import { setSourceMapsSupport } from 'node:module'
import type { PromptDefinition, ResourceDefinition, ToolDefinition } from '../../sdk/define.ts'
import { registerHooks } from '../isolation/loader-seal.ts'
import { explainDenied } from './denied-access.ts'

/** One module of the project with one of its exports. */
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

/** Virtual location of the code. Its source map refers to sibling files such as `/server/tools/add.ts`. No file is read. */
const BUNDLE_URL = 'file:///server/server.mjs'
export const SOURCE_ROOT = '/server/'

let loads = 0

/** A new URL for each bundle, because Node caches modules by URL. */
function nextUrl(): string {
  return loads++ === 0 ? BUNDLE_URL : `${BUNDLE_URL}?${loads}`
}

/**
 * Runs a bundle and returns its definitions. Rejects with the errors that its code throws, whose stack traces show the project's
 * files and lines. The process may not read files, so a temporary loader hook supplies the code. A `data:` URL would give long
 * names in stack traces and ignore source maps.
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
  } catch (error) {
    explainDenied(error)
    throw error
  } finally {
    hooks.deregister()
  }
}

/** Replaces Node's error for a `data:` URL of an unsupported type, because that error mentions our hook. */
function requireFormat<Context extends { format?: string | null | undefined }>(
  url: string,
  context: Context,
): Context {
  if (!url.startsWith('data:') || context.format) return context
  const type = /^data:([^;,]*)/.exec(url)?.[1] || 'text/plain'
  throw new TypeError(
    `A data: URL of type "${type}" cannot be imported. Node imports text/javascript, application/json and application/wasm.`,
  )
}

function checkModule(module: LoadedModule): LoadedModule {
  const { kind, path, export: name, definition } = module
  const what = name === 'default' ? path : `${path} (export "${name}")`
  if (typeof definition === 'function') return module
  const handler = (definition as { handler?: unknown } | null)?.handler
  if (typeof handler !== 'function')
    throw new Error(
      `${what} exports no ${kind}. It must export the result of ${DEFINE[kind]}({…}) from mcp-hosting/server, with a handler.`,
    )
  if (definition.kind !== undefined && definition.kind !== kind)
    throw new Error(`${what} exports a ${definition.kind}, but a ${kind} is expected here.`)
  return module
}

const DEFINE = { tool: 'defineTool', resource: 'defineResource', prompt: 'definePrompt' } as const
