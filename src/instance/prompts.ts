import type { Artifact } from '../shared/artifact.ts'
import { compileBlock } from './handlers/answer-template.ts'
import { describeFailure } from './handlers/failure.ts'
import { loadTemplates } from './handlers/load.ts'
import { Rendering } from './handlers/rendering.ts'
import { createScope, type ServerScope } from './handlers/scope.ts'
import { type CallContext, type Content, type GetPromptResult, RpcError } from './prepared-server.ts'

type Prompt = Artifact['prompts'][number]
type Message = { role: 'user' | 'assistant'; content: (rendering: Rendering) => Content }

/** The prompts of a server. */
export class Prompts {
  readonly #definitions: Prompt[]
  readonly #server: ServerScope
  #messages: Map<Prompt, Promise<Message[]>> | undefined

  constructor(definitions: Prompt[], server: ServerScope) {
    this.#definitions = definitions
    this.#server = server
  }

  find(name: string): Prompt | undefined {
    return this.#definitions.find(prompt => prompt.name === name)
  }

  async get(name: string, args: Record<string, string>, call: CallContext): Promise<GetPromptResult> {
    const prompt = this.find(name)
    if (!prompt) throw new RpcError(-32602, `Unknown prompt: ${name}`)
    const missing = prompt.arguments.find(
      argument => argument.required && !Object.hasOwn(args, argument.name),
    )
    if (missing) throw new RpcError(-32602, `Prompt ${name} needs the argument "${missing.name}"`)
    try {
      return { description: prompt.description, messages: await this.#fillIn(prompt, args, call) }
    } catch (error) {
      throw new RpcError(-32603, `Prompt ${name}: ${describeFailure(error, this.#server.env)}`)
    }
  }

  async #fillIn(
    prompt: Prompt,
    args: Record<string, string>,
    call: CallContext,
  ): Promise<GetPromptResult['messages']> {
    const messages = await this.#messagesOf(prompt)
    const rendering = new Rendering(createScope(this.#server, args, call))
    return messages.map(({ role, content }) => ({ role, content: content(rendering) }))
  }

  #messagesOf(prompt: Prompt): Promise<Message[]> {
    this.#messages ??= new Map()
    const messages = this.#messages.get(prompt) ?? compileMessages(prompt)
    this.#messages.set(prompt, messages)
    return messages
  }
}

/** A template alone is one message of the user. */
async function compileMessages({ template, messages }: Prompt): Promise<Message[]> {
  const templates = await loadTemplates(messages ?? template)
  const definitions = messages ?? [
    { role: 'user' as const, content: { type: 'text' as const, text: template ?? '' } },
  ]
  return definitions.map(({ role, content }) => ({ role, content: compileBlock(content, templates) }))
}
