import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { createServerScope } from '../handlers/templates/scope.ts'
import { createCompletion } from './completion.ts'
import { DeclaredTool } from './declared-tool.ts'
import { createList, type PagedList } from './lists.ts'
import type { PreparedServer, ServerCapabilities } from './prepared-server.ts'
import { Prompts } from './prompts.ts'
import { Resources } from './resources.ts'
import { toWirePrompt, toWireResource, toWireResourceTemplate, toWireTool } from './wire-shapes.ts'

/** Server whose lists are available synchronously. */
type DeclaredServer = Record<
  'listTools' | 'listResources' | 'listResourceTemplates' | 'listPrompts',
  PagedList
> &
  PreparedServer

/** Creates a server from an artifact. Parts that cost memory or time are created on first use and kept. */
export function prepareServer(artifact: Artifact, tenant: Tenant): DeclaredServer {
  const { server, pageSize } = artifact
  const scope = createServerScope(artifact, tenant)
  const tools = new Map<string, DeclaredTool>()
  const resources = new Resources(artifact.resources, scope, tenant)
  const prompts = new Prompts(artifact.prompts, scope)
  const { instructions, ...info } = server
  return {
    info,
    ...(instructions !== undefined && { instructions }),
    capabilities: capabilitiesOf(artifact),
    listTools: createList('tools', artifact.tools, toWireTool, pageSize),
    listResources: createList('resources', resources.fixed, toWireResource, pageSize),
    listResourceTemplates: createList(
      'resourceTemplates',
      resources.templates,
      toWireResourceTemplate,
      pageSize,
    ),
    listPrompts: createList('prompts', artifact.prompts, toWirePrompt, pageSize),
    findTool: name => tools.get(name) ?? addTool(name),
    hasResource: uri => resources.has(uri),
    readResource: (uri, context) => resources.read(uri, context),
    getPrompt: (name, args, context) => prompts.get(name, args, context),
    complete: createCompletion(prompts, resources, scope),
    close: () => tools.clear(),
  }

  function addTool(name: string): DeclaredTool | undefined {
    const definition = artifact.tools.find(tool => tool.name === name)
    if (!definition) return undefined
    const tool = new DeclaredTool(definition, scope, tenant)
    tools.set(name, tool)
    return tool
  }
}

/** Capabilities that the definitions use, so that clients do not request the rest. */
function capabilitiesOf({ tools, resources, prompts }: Artifact): ServerCapabilities {
  const completes = [...resources, ...prompts].some(({ completions }) => completions !== undefined)
  const logs = tools.some(
    ({ handler }) => handler && handler.type !== 'module' && handler.emit?.some(step => 'log' in step),
  )
  return {
    ...(tools.length > 0 && { tools: {} }),
    ...(resources.length > 0 && { resources: { subscribe: true } }),
    ...(prompts.length > 0 && { prompts: {} }),
    ...(completes && { completions: {} }),
    ...(logs && { logging: {} }),
  }
}
