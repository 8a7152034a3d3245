import type { ToolSet } from 'ai'
import type { CallOutcome } from '../calls/call-ledger.ts'
import {
  type CallContext,
  type CallHandle,
  callTool,
  getPrompt,
  readResource,
} from '../calls/server-calls.ts'
import { toModelOutput } from '../calls/tool-output.ts'
import { GET_PROMPT, type ModelHints, type Offer, READ_RESOURCE } from './offer.ts'
import { describePrompts, describeResources, hintsOf } from './offer-text.ts'

type JsonSchema = Record<string, unknown>

interface ToolText {
  description: string
  inputSchema: JsonSchema
}

/** The server's offer as AI SDK tools. */
export async function createTools(
  offer: Offer,
  context: CallContext,
  takesImages: boolean,
): Promise<{ tools: ToolSet; hints: ModelHints }> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const names = new FunctionNames()
  const tools: ToolSet = {}
  const add = (
    name: string,
    { description, inputSchema }: ToolText,
    run: (input: unknown, handle: CallHandle) => Promise<CallOutcome>,
  ) => {
    const free = names.take(name)
    tools[free] = dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema),
      execute: (input, { toolCallId, abortSignal }) => run(input, { id: toolCallId, signal: abortSignal }),
      toModelOutput: ({ output }) => toModelOutput(output as CallOutcome, takesImages),
    })
    return free
  }
  for (const tool of offer.tools)
    add(tool.name, textOf(tool), (input, handle) => callTool(context, tool.name, input, handle))
  const hints = hintsOf(offer)
  if (offer.resources.length + offer.resourceTemplates.length > 0)
    hints.readResource = add(READ_RESOURCE, resourceReader(offer), (input, handle) =>
      readResource(context, input, handle),
    )
  if (offer.prompts.length > 0)
    hints.getPrompt = add(GET_PROMPT, promptFetcher(offer), (input, handle) =>
      getPrompt(context, input, handle),
    )
  return { tools, hints }
}

function textOf({ name, title, description, inputSchema }: Offer['tools'][number]): ToolText {
  // OpenAI refuses an object schema without `properties`.
  return {
    description: description ?? title ?? name,
    inputSchema: { properties: {}, ...inputSchema },
  }
}

function resourceReader(offer: Offer): ToolText {
  const uri = { type: 'string', description: 'URI of the resource' }
  return {
    description: describeResources(offer),
    inputSchema: { type: 'object', properties: { uri }, required: ['uri'] },
  }
}

function promptFetcher(offer: Offer): ToolText {
  const properties = {
    name: { type: 'string', enum: offer.prompts.map(({ name }) => name) },
    arguments: { type: 'object', additionalProperties: { type: 'string' } },
  }
  return {
    description: describePrompts(offer),
    inputSchema: { type: 'object', properties, required: ['name'] },
  }
}

/** Characters that some vendors reject in function names. */
const INVALID_IN_NAME = /[^a-zA-Z0-9_-]/g
const MAX_NAME_LENGTH = 64

/** Converts names to valid and unique function names. */
class FunctionNames {
  readonly #taken = new Set<string>()

  take(name: string): string {
    const plain = name.replace(INVALID_IN_NAME, '_').slice(0, MAX_NAME_LENGTH)
    let free = plain
    for (let count = 2; this.#taken.has(free); count++)
      free = `${plain.slice(0, MAX_NAME_LENGTH - 4)}_${count}`
    this.#taken.add(free)
    return free
  }
}
