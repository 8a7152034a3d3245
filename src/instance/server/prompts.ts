import type { Artifact } from '../../shared/definitions/artifact.ts'
import { describeFailure } from '../handlers/failure.ts'
import { loadTemplates } from '../handlers/load.ts'
import { compileBlock } from '../handlers/templates/answer-template.ts'
import { Rendering } from '../handlers/templates/rendering.ts'
import { createScope, type ServerScope } from '../handlers/templates/scope.ts'
import { RpcError } from '../protocol/json-rpc.ts'
import type { CallContext } from './client-context.ts'
import type { Content, GetPromptResult } from './results.ts'

type Prompt = Artifact['prompts'][number]
type Message = { role: 'user' | 'assistant'; content: (rendering: Rendering) => Content }

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
      const messages = await this.#messagesOf(prompt)
      const rendering = new Rendering(createScope(this.#server, args, call))
      const rendered = messages.map(({ role, content }) => ({ role, content: content(rendering) }))
      return { description: prompt.description, messages: rendered }
    } catch (error) {
      throw new RpcError(-32603, `Prompt ${name}: ${describeFailure(error, this.#server.env)}`)
    }
  }

  #messagesOf(prompt: Prompt): Promise<Message[]> {
    this.#messages ??= new Map()
    const messages = this.#messages.get(prompt) ?? compileMessages(prompt)
    this.#messages.set(prompt, messages)
    return messages
  }
}

/** Messages of a prompt. A bare template is one user message. */
async function compileMessages({ template, messages }: Prompt): Promise<Message[]> {
  const templates = await loadTemplates(messages ?? template)
  const definitions = messages ?? [
    { role: 'user' as const, content: { type: 'text' as const, text: template ?? '' } },
  ]
  return definitions.map(({ role, content }) => ({ role, content: compileBlock(content, templates) }))
}
