import type { Prompt } from '@modelcontextprotocol/client'
import { defineCommand } from '../command-line/command.ts'
import { quoteShellWord } from '../project/shell-words.ts'
import { SERVER_ARGUMENT, SERVER_OPTIONS, useServer } from '../targets/server-target.ts'

export default defineCommand({
  name: 'prompts',
  arguments: { server: SERVER_ARGUMENT },
  options: SERVER_OPTIONS,
  examples: { 'mcp prompts weather': 'prompts and their arguments' },
  async run(context, input) {
    const { output } = context
    const { listPrompts } = await import('../testing/mcp-client.ts')
    await useServer(context, input, async (connection, { name }) => {
      const prompts = await listPrompts(connection)
      output.result(prompts, () => {
        const rows = prompts.map(one => [one.name, argumentsOf(one), one.description ?? ''])
        output.table(['PROMPT', 'ARGUMENTS', 'DESCRIPTION'], rows, `${name} has no prompts.`)
        const [first] = prompts
        if (first) output.next({ description: 'Fill in one', command: exampleOf(name, first) })
      })
    })
  },
})

/** `city, [interest]` */
function argumentsOf({ arguments: all = [] }: Prompt): string {
  return all.map(one => (one.required ? one.name : `[${one.name}]`)).join(', ')
}

function exampleOf(server: string, prompt: Prompt): string {
  const required =
    prompt.arguments?.filter(one => one.required).map(one => `${quoteShellWord(one.name)}=…`) ?? []
  return ['mcp prompt', quoteShellWord(server), quoteShellWord(prompt.name), ...required].join(' ')
}
