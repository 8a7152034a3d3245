import type { Artifact, Described } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { RpcError } from '../prepared-server.ts'
import { RPC } from '../protocol/json-rpc.ts'
import { passedCapabilities } from './capabilities.ts'
import { commandLine, type ExistingProgram } from './command-line.ts'
import { ALL_CAPABILITIES } from './leased-children.ts'
import { McpChild } from './mcp-child.ts'
import { ProcessGuard } from './process-guard.ts'
import type { Result } from './rpc-channel.ts'

const TIMEOUT_MS = 60_000

/** Starts the program once to hear what it offers. Rejects with ChildStartError when it does not become a server. */
export async function describeStdioProgram(artifact: Artifact, tenant: Tenant): Promise<Described> {
  const guard = new ProcessGuard()
  let dependsOnClient = false
  const program = artifact.program as ExistingProgram
  const child = new McpChild(
    commandLine(program, tenant),
    { guard, timeoutMs: TIMEOUT_MS, startTimeoutMs: TIMEOUT_MS },
    {
      onStderr: line => process.stderr.write(`${line}\n`),
      onNoise: line => process.stderr.write(`${line}\n`),
      onAsk: method => {
        dependsOnClient = true
        return Promise.reject(new RpcError(RPC.methodNotFound, `Nobody is there to answer ${method}`))
      },
      onLog: () => {},
      // What it offers depends on what the client can do.
      onListChanged: () => {
        dependsOnClient = true
      },
      onResourceUpdated: () => {},
    },
  )
  try {
    await child.initialize({ capabilities: ALL_CAPABILITIES, info: undefined })
    const described = await readDefinitions(child)
    return { ...described, children: dependsOnClient ? 'session' : 'shared' }
  } finally {
    await child.stop()
    guard.close()
  }
}

async function readDefinitions(child: McpChild): Promise<Described> {
  const { serverInfo, instructions, capabilities } = child.facts!
  const list = (capability: string, method: string, member: string) =>
    capabilities[capability] ? child.readList(method, member) : Promise.resolve([])
  const [tools, resources, templates, prompts] = await Promise.all([
    list('tools', 'tools/list', 'tools'),
    list('resources', 'resources/list', 'resources'),
    // Servers without templates may not know the method.
    list('resources', 'resources/templates/list', 'resourceTemplates').catch(() => []),
    list('prompts', 'prompts/list', 'prompts'),
  ])
  const {
    tools: toolFlags,
    resources: resourceFlags,
    completions,
    logging,
  } = passedCapabilities(capabilities)
  return {
    server: { ...serverInfo, ...(instructions === undefined ? {} : { instructions }) },
    tools: tools.map(toTool),
    resources: [...resources.map(toResource), ...templates.map(toResource)],
    prompts: prompts.map(toPrompt),
    capabilities: {
      ...(completions && { completions: true }),
      ...(logging && { logging: true }),
      ...(resourceFlags?.subscribe && { subscribe: true }),
      ...(toolFlags?.listChanged && { listChanged: true }),
    },
  }
}

function toTool({ name, title, description, inputSchema, outputSchema, annotations, icons, _meta }: Result) {
  return withoutAbsent({
    name: String(name),
    title,
    description: text(description),
    inputSchema: inputSchema ?? { type: 'object' },
    outputSchema,
    annotations,
    icons,
    _meta,
  }) as unknown as Described['tools'][number]
}

function toResource(resource: Result) {
  const { uri, uriTemplate, name, title, description, mimeType, icons, annotations, size, _meta } = resource
  return withoutAbsent({
    uri: String(uri ?? uriTemplate),
    name: String(name),
    title,
    description: text(description),
    mimeType,
    icons,
    annotations,
    size,
    _meta,
  }) as unknown as Described['resources'][number]
}

function toPrompt({ name, title, description, arguments: args, icons, _meta }: Result) {
  return withoutAbsent({
    name: String(name),
    title,
    description: text(description),
    arguments: Array.isArray(args) ? args : [],
    icons,
    _meta,
  }) as unknown as Described['prompts'][number]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function withoutAbsent(entry: Result): Result {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
}
