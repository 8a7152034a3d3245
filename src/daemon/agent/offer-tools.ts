import type { ToolSet } from 'ai'
import type { McpConnection } from '../../shared/mcp-connection.ts'
import type { CallLedger, CallOutcome } from './call-ledger.ts'
import { GET_PROMPT, type ModelHints, type Offer, READ_RESOURCE } from './offer.ts'
import { contentText, messagesText, resourceText, toModelOutput } from './tool-output.ts'

export interface OfferToolsOptions {
  connection: McpConnection
  offer: Offer
  ledger: CallLedger
  /** `_meta` of every request to the server. */
  meta: Record<string, unknown>
  timeoutMs: number
  takesImages: boolean
  /** Undefined: calls are made. Otherwise what is said of arguments that are not sent. */
  check?(tool: string, args: unknown): string | null
}

/** What models of any vendor take as a function's name. */
const MODEL_NAME = /[^a-zA-Z0-9_-]/g
const MAX_NAME_LENGTH = 64

/** The server's offer as tools of the AI SDK: each call goes to the server and into the ledger. */
export async function createTools(
  options: OfferToolsOptions,
): Promise<{ tools: ToolSet; hints: ModelHints }> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const { offer } = options
  const names = new NameBook()
  const tools: ToolSet = {}
  for (const tool of offer.tools)
    tools[names.take(tool.name)] = dynamicTool({
      description: tool.description ?? tool.title ?? tool.name,
      inputSchema: jsonSchema(withProperties(tool.inputSchema)),
      execute: (input, { toolCallId, abortSignal }) =>
        callTool(options, tool.name, input, toolCallId, abortSignal),
      toModelOutput: ({ output }) => toModelOutput(output as CallOutcome, options.takesImages),
    })
  const hints: ModelHints = hintsOf(offer)
  if (offer.resources.length + offer.resourceTemplates.length > 0) {
    hints.readResource = names.take(READ_RESOURCE)
    tools[hints.readResource] = dynamicTool({
      description: describeResources(offer),
      inputSchema: jsonSchema({
        type: 'object',
        properties: { uri: { type: 'string', description: 'URI of the resource' } },
        required: ['uri'],
      }),
      execute: (input, { toolCallId, abortSignal }) => readResource(options, input, toolCallId, abortSignal),
      toModelOutput: ({ output }) => toModelOutput(output as CallOutcome, false),
    })
  }
  if (offer.prompts.length > 0) {
    hints.getPrompt = names.take(GET_PROMPT)
    tools[hints.getPrompt] = dynamicTool({
      description: describePrompts(offer),
      inputSchema: jsonSchema({
        type: 'object',
        properties: {
          name: { type: 'string', enum: offer.prompts.map(({ name }) => name) },
          arguments: { type: 'object', additionalProperties: { type: 'string' } },
        },
        required: ['name'],
      }),
      execute: (input, { toolCallId, abortSignal }) => getPrompt(options, input, toolCallId, abortSignal),
      toModelOutput: ({ output }) => toModelOutput(output as CallOutcome, false),
    })
  }
  return { tools, hints }
}

function callTool(
  options: OfferToolsOptions,
  name: string,
  input: unknown,
  id: string,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  const args = (input ?? {}) as Record<string, unknown>
  return options.ledger.run({ id, kind: 'tool', name, arguments: args }, async () => {
    if (options.check) return unmade(options.check(name, args))
    const result = await options.connection.client.callTool(
      { name, arguments: args, _meta: options.meta },
      { timeout: options.timeoutMs, resetTimeoutOnProgress: true, signal },
    )
    const text = contentText(result.content)
    return { result, text, error: result.isError ? text || 'The tool reports an error.' : null }
  })
}

function unmade(problem: string | null): CallOutcome {
  return { result: null, text: 'Not called: this is a run without calls.', error: problem }
}

function readResource(
  options: OfferToolsOptions,
  input: unknown,
  id: string,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  const uri = String((input as { uri?: unknown })?.uri ?? '')
  return options.ledger.run({ id, kind: 'resource', name: uri, arguments: { uri } }, async () => {
    const result = await options.connection.client.readResource(
      { uri, _meta: options.meta },
      { timeout: options.timeoutMs, signal },
    )
    return { result, text: resourceText(result.contents), error: null }
  })
}

function getPrompt(
  options: OfferToolsOptions,
  input: unknown,
  id: string,
  signal?: AbortSignal,
): Promise<CallOutcome> {
  const { name = '', arguments: given } = (input ?? {}) as {
    name?: string
    arguments?: Record<string, unknown>
  }
  const args = Object.fromEntries(Object.entries(given ?? {}).map(([key, value]) => [key, String(value)]))
  return options.ledger.run({ id, kind: 'prompt', name, arguments: args }, async () => {
    const result = await options.connection.client.getPrompt(
      { name, arguments: args, _meta: options.meta },
      { timeout: options.timeoutMs, signal },
    )
    return { result, text: messagesText(result.messages), error: null }
  })
}

/** Names as models take them, each once. */
class NameBook {
  readonly #taken = new Set<string>()

  take(name: string): string {
    const plain = name.replace(MODEL_NAME, '_').slice(0, MAX_NAME_LENGTH)
    let free = plain
    for (let count = 2; this.#taken.has(free); count++)
      free = `${plain.slice(0, MAX_NAME_LENGTH - 4)}_${count}`
    this.#taken.add(free)
    return free
  }
}

/** OpenAI refuses an object schema without `properties`. */
function withProperties(schema: object): Record<string, unknown> {
  return { type: 'object', properties: {}, ...schema }
}

function describeResources({ resources, resourceTemplates }: Offer): string {
  const lines = [
    ...resources.map(({ uri, name, description }) => line(uri, name, description)),
    ...resourceTemplates.map(({ uriTemplate, name, description }) => line(uriTemplate, name, description)),
  ]
  return [
    'Reads a resource of the server by its URI. In a URI with {variables}, put values in their place. There are:',
    ...lines,
  ].join('\n')
}

function describePrompts({ prompts }: Offer): string {
  const lines = prompts.map(({ name, description, arguments: args = [] }) => {
    const parts = args.map(arg => (arg.required ? arg.name : `${arg.name}?`))
    return line(`${name}(${parts.join(', ')})`, description ?? '', undefined)
  })
  return ['Fetches a prompt of the server, filled in with its arguments. There are:', ...lines].join('\n')
}

function line(what: string, name: string, description: string | undefined): string {
  return `- ${what}: ${[name, description].filter(Boolean).join('. ')}`
}

function hintsOf({ resources, resourceTemplates, prompts }: Offer): ModelHints {
  return {
    resources: resources.map(({ uri, name, description, mimeType }) => ({
      uri,
      name,
      description,
      mimeType,
    })),
    resourceTemplates: resourceTemplates.map(({ uriTemplate, name, description, mimeType }) => ({
      uriTemplate,
      name,
      description,
      mimeType,
    })),
    prompts: prompts.map(({ name, description, arguments: args = [] }) => ({
      name,
      description,
      arguments: args.map(arg => ({
        name: arg.name,
        description: arg.description,
        required: arg.required ?? false,
      })),
    })),
  }
}
