import { basename } from 'node:path'
import type { Completion, PromptDefinition, ResourceDefinition, ToolDefinition } from '../../sdk/define.ts'
import type { Artifact, DescribedServer } from '../../shared/definitions/artifact.ts'
import type {
  ModuleHandler,
  PromptDefinition as Prompt,
  ResourceDefinition as Resource,
  ToolDefinition as Tool,
} from '../../shared/definitions/definitions.ts'
import { withoutAbsent } from '../protocol/json-rpc.ts'
import { checkOptions, schemasOf } from './check-options.ts'
import { type LoadedModule, loadBundle } from './load-bundle.ts'
import { toJsonSchema } from './standard-schema.ts'

/**
 * Loads a bundle and returns the definitions of its modules as a build stores them. Rejects with the errors that its code
 * throws.
 */
export async function describeModule(bundle: string): Promise<DescribedServer> {
  const modules = await loadBundle(bundle)
  for (const module of modules) checkOptions(module)
  const resources = modules.flatMap(one => (one.kind === 'resource' ? [describeResource(one)] : []))
  const prompts = modules.flatMap(one => (one.kind === 'prompt' ? [describePrompt(one)] : []))
  return {
    tools: modules.flatMap(one => (one.kind === 'tool' ? [describeTool(one)] : [])),
    resources,
    prompts,
    capabilities: {
      logging: true,
      subscribe: resources.length > 0,
      listChanged: true,
      completions: modules.some(hasCompletions),
    },
  }
}

type ModuleOf<Kind extends LoadedModule['kind']> = Extract<LoadedModule, { kind: Kind }>

function describeTool(module: ModuleOf<'tool'>): Tool {
  const options = optionsOf<ToolDefinition>(module)
  const { name, title, description, annotations, icons, _meta } = options
  const { input, output } = schemasOf(options)
  return withoutAbsent({
    name: name ?? nameOf(module),
    title,
    description,
    inputSchema: input ? toJsonSchema(input, 'input', `${module.path}: input`) : { type: 'object' },
    outputSchema: output && toJsonSchema(output, 'output', `${module.path}: output`),
    annotations,
    icons,
    _meta,
    handler: handlerOf(module),
  }) as Tool
}

function describeResource(module: ModuleOf<'resource'>): Resource {
  const { uri, name, title, description, mimeType, icons, annotations, size, complete, _meta } =
    optionsOf<ResourceDefinition>(module)
  return withoutAbsent({
    uri,
    name: name ?? nameOf(module),
    title,
    description,
    mimeType,
    icons,
    annotations,
    size,
    completions: listsOf(complete),
    _meta,
    handler: handlerOf(module),
  }) as Resource
}

function describePrompt(module: ModuleOf<'prompt'>): Prompt & Artifact['prompts'][number] {
  const { name, title, description, icons, _meta, ...options } = optionsOf<PromptDefinition>(module)
  const args = Object.entries(options.arguments ?? {})
  return withoutAbsent({
    name: name ?? nameOf(module),
    title,
    description,
    icons,
    arguments: args.map(([argument, { title, description, required = true }]) =>
      withoutAbsent({ name: argument, title, description, required }),
    ),
    completions: listsOf(Object.fromEntries(args.map(([argument, { complete }]) => [argument, complete]))),
    _meta,
    handler: handlerOf(module),
  }) as Artifact['prompts'][number]
}

/** Options of a module. Empty for a bare function, which the build request describes. */
function optionsOf<Definition extends object>({ definition }: LoadedModule): Definition {
  return (typeof definition === 'function' ? {} : definition) as Definition
}

function nameOf({ path, export: name }: LoadedModule): string {
  return name === 'default' ? basename(path).replace(/\.[cm]?[jt]s$/, '') : name
}

function handlerOf({ path, export: name }: LoadedModule): ModuleHandler {
  return { type: 'module', path, export: name }
}

/** Completions that are lists. Only these can be stored. Functions run when a client requests a completion. */
function listsOf(
  completions: Record<string, Completion | undefined> = {},
): Record<string, string[]> | undefined {
  const lists = Object.entries(completions).flatMap(([name, values]) =>
    Array.isArray(values) ? [[name, values.map(String)]] : [],
  )
  return lists.length > 0 ? Object.fromEntries(lists) : undefined
}

function hasCompletions(module: LoadedModule): boolean {
  if (module.kind === 'resource')
    return Object.keys(optionsOf<ResourceDefinition>(module).complete ?? {}).length > 0
  if (module.kind === 'tool') return false
  return Object.values(optionsOf<PromptDefinition>(module).arguments ?? {}).some(
    one => one.complete !== undefined,
  )
}
