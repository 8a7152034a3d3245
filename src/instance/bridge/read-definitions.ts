import type { Described } from '../../shared/artifact.ts'
import { passedCapabilities } from './capabilities.ts'
import type { Result } from './rpc-channel.ts'
import type { ServerFacts } from './server-facts.ts'

/** A server that answered `initialize`. */
export interface Lister {
  facts: ServerFacts
  /** Everything of one list, page after page. */
  readList(method: string, member: string): Promise<Result[]>
}

/** What the server offers, as a build keeps it. */
export async function readDefinitions({ facts, readList }: Lister): Promise<Described> {
  const { serverInfo, instructions, capabilities } = facts
  const list = (capability: string, method: string, member: string) =>
    capabilities[capability] ? readList(method, member) : Promise.resolve([])
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
