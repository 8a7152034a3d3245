import type { DescribedServer } from '../../shared/definitions/artifact.ts'
import { type JsonObject, withoutAbsent } from '../protocol/json-rpc.ts'
import { forwardedCapabilities } from './forwarded-capabilities.ts'
import type { ServerFacts } from './server-facts.ts'

/** A server that has answered `initialize`. */
export interface Lister {
  facts: ServerFacts
  /** All entries of a list, from all pages. */
  readList(method: string, member: string): Promise<JsonObject[]>
}

/** Definitions of a server, as a build stores them. */
export async function readDefinitions({ facts, readList }: Lister): Promise<DescribedServer> {
  const { serverInfo, instructions, capabilities } = facts
  const list = (capability: string, method: string, member: string) =>
    capabilities[capability] ? readList(method, member) : Promise.resolve([])
  const [tools, resources, templates, prompts] = await Promise.all([
    list('tools', 'tools/list', 'tools'),
    list('resources', 'resources/list', 'resources'),
    // Servers without templates may not implement the method.
    list('resources', 'resources/templates/list', 'resourceTemplates').catch(() => []),
    list('prompts', 'prompts/list', 'prompts'),
  ])
  const {
    tools: toolFlags,
    resources: resourceFlags,
    completions,
    logging,
  } = forwardedCapabilities(capabilities)
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

function toTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  icons,
  _meta,
}: JsonObject) {
  return withoutAbsent({
    name: String(name),
    title,
    description: text(description),
    inputSchema: inputSchema ?? { type: 'object' },
    outputSchema,
    annotations,
    icons,
    _meta,
  }) as unknown as DescribedServer['tools'][number]
}

function toResource(resource: JsonObject) {
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
  }) as unknown as DescribedServer['resources'][number]
}

function toPrompt({ name, title, description, arguments: args, icons, _meta }: JsonObject) {
  return withoutAbsent({
    name: String(name),
    title,
    description: text(description),
    arguments: Array.isArray(args) ? args : [],
    icons,
    _meta,
  }) as unknown as DescribedServer['prompts'][number]
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
