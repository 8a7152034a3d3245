import type { GetPromptResult, Prompt } from '@modelcontextprotocol/client'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { getNamed } from '../mcp-client/get-named.ts'
import { contentToText } from '../output/content.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS } from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'
import { parseToolArguments } from '../testing/tool-arguments.ts'

export default defineCommand({
  name: 'prompt',
  arguments: {
    server: SERVER_ARGUMENT,
    prompt: { doc: 'name of the prompt', required: true },
    values: { doc: 'key=value, a JSON object, @file or -', variadic: true },
  },
  options: SERVER_OPTIONS,
  examples: {
    'mcp prompt weather plan_a_day city=Oslo': 'print its messages',
    'mcp prompt weather plan_a_day city=Oslo --json': 'print the MCP result',
  },
  async run(context, input) {
    const result = await useServer(context, input, async connection => {
      const prompt = getNamed('prompt', await connection.listPrompts(), input.prompt)
      const values = parseToolArguments(input.values, schemaOf(prompt))
      return connection.getPrompt(prompt.name, asTexts(values))
    })
    context.output.result(result, () => print(context, result))
  },
})

/** Arguments of prompts are strings. Undeclared ones are rejected. */
function schemaOf({ arguments: all = [] }: Prompt): Record<string, unknown> {
  const properties = Object.fromEntries(all.map(({ name }) => [name, { type: 'string' }]))
  return { type: 'object', properties, additionalProperties: false }
}

function asTexts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )
}

function print({ output }: CommandContext, { messages }: GetPromptResult): void {
  for (const { role, content } of messages)
    output.line(`${output.style.bold(role)}: ${contentToText([content])}`)
}
