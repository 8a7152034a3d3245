import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Handler, LogLevel } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import { createServerScope } from '../handlers/templates/scope.ts'
import { prepareServer } from '../server/prepare-server.ts'
import type { PreparedServer } from '../server/prepared-server.ts'
import { moduleCapabilities } from './capabilities.ts'
import { HandlerErrors } from './handler-errors.ts'
import { type LoadedModule, loadBundle } from './load-bundle.ts'
import { complete, completionFunction } from './module-completion.ts'
import type { ModuleScope } from './module-context.ts'
import { ModuleLog } from './module-log.ts'
import { getModulePrompt, type ModulePrompt } from './module-prompts.ts'
import { type ModuleResource, ModuleResources } from './module-resources.ts'
import { ModuleTool } from './module-tool.ts'

/**
 * Prepares a server whose handlers are modules of a project. Other definitions of its artifact work as in any other server.
 * Rejects with the errors that the code throws while it loads.
 */
export async function prepareModule(
  artifact: Artifact,
  tenant: Tenant,
  bundle: string,
): Promise<PreparedServer> {
  const modules = await loadBundle(bundle)
  const declared = prepareServer(artifact, tenant)
  const log = new ModuleLog()
  const scope: ModuleScope = {
    // A server that declares no variables gets all variables of its deployment.
    env: Object.freeze({ ...createServerScope(artifact, tenant).env, ...tenant.env }),
    log: (level, data) => {
      if (level === 'debug' && tenant.logLevel !== 'debug') return
      log.write(LINE_LEVELS[level], typeof data === 'string' ? data : (JSON.stringify(data) ?? String(data)))
    },
  }
  const errors = new HandlerErrors(tenant.env, message => log.write('error', message))
  const found = matchModules(artifact, modules)
  const tools = await createTools(found.tools, { scope, errors })
  const resources = new ModuleResources(found.resources, scope, errors)
  // A declared resource takes precedence over a module's template that matches its URI.
  const isDeclared = (uri: string) =>
    artifact.resources.some(one => one.uri === uri && one.handler?.type !== 'module')
  const prompts = new Map(found.prompts.map(one => [one.prompt.name, one]))
  return {
    ...declared,
    capabilities: moduleCapabilities(artifact),
    sendsServerRequests: true,
    attach: reporter => {
      log.reporter = reporter
      scope.state = reporter.state
    },
    findTool: name => tools.get(name) ?? declared.findTool(name),
    readResource: (uri, call) =>
      !isDeclared(uri) && resources.find(uri) ? resources.read(uri, call) : declared.readResource(uri, call),
    getPrompt: async (name, args, call) => {
      const prompt = prompts.get(name)
      return prompt
        ? getModulePrompt(prompt, args, call, { scope, errors })
        : declared.getPrompt(name, args, call)
    },
    complete: async (params, call) => {
      const completion = completionFunction(params, prompts, found.resources)
      return completion ? complete(completion, params, scope.env, call) : declared.complete(params, call)
    },
  }
}

const LINE_LEVELS: Readonly<Record<LogLevel, LogLine['level']>> = {
  debug: 'debug',
  info: 'info',
  notice: 'info',
  warning: 'warn',
  error: 'error',
  critical: 'error',
  alert: 'error',
  emergency: 'error',
}

interface MatchedModules {
  tools: {
    tool: Artifact['tools'][number]
    definition: Extract<LoadedModule, { kind: 'tool' }>['definition']
  }[]
  resources: ModuleResource[]
  prompts: ModulePrompt[]
}

/** Pairs definitions with module exports. Throws for an export that the bundle lacks. */
function matchModules(artifact: Artifact, modules: readonly LoadedModule[]): MatchedModules {
  const byName = new Map(modules.map(one => [keyOf(one.kind, one), one.definition]))
  const definitionOf = (kind: LoadedModule['kind'], handler: Handler | undefined) => {
    if (handler?.type !== 'module') return undefined
    const definition = byName.get(keyOf(kind, handler))
    if (definition) return definition
    throw new Error(`The bundle has no ${kind} "${handler.path}" with the export "${handler.export}".`)
  }
  const matched = <One extends { handler?: Handler }, Kind extends LoadedModule['kind']>(
    kind: Kind,
    all: One[],
  ) =>
    all.flatMap(one => {
      const definition = definitionOf(kind, one.handler)
      return definition
        ? [{ one, definition: definition as Extract<LoadedModule, { kind: Kind }>['definition'] }]
        : []
    })
  return {
    tools: matched('tool', artifact.tools).map(({ one, definition }) => ({ tool: one, definition })),
    resources: matched('resource', artifact.resources).map(({ one, definition }) => ({
      resource: one,
      definition,
    })),
    prompts: matched('prompt', artifact.prompts).map(({ one, definition }) => ({ prompt: one, definition })),
  }
}

function keyOf(kind: string, { path, export: name }: { path: string; export: string }): string {
  return `${kind} ${path}#${name}`
}

async function createTools(
  tools: MatchedModules['tools'],
  parts: { scope: ModuleScope; errors: HandlerErrors },
): Promise<Map<string, ModuleTool>> {
  const made = await Promise.all(tools.map(one => ModuleTool.create({ ...one, ...parts })))
  return new Map(made.map(tool => [tool.name, tool]))
}
