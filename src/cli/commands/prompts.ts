import type { Prompt } from '@modelcontextprotocol/client'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import {
  type ChosenServer,
  commandForServer,
  SERVER_ARGUMENT,
  SERVER_OPTIONS,
} from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'

export default defineCommand({
  name: 'prompts',
  arguments: { server: SERVER_ARGUMENT },
  options: SERVER_OPTIONS,
  examples: { 'mcp prompts weather': 'prompts and their arguments' },
  async run(context, input) {
    const { output } = context
    await useServer(context, input, async (connection, { name, env }) => {
      const prompts = await connection.listPrompts()
      output.result(prompts, () => {
        const rows = prompts.map(one => [one.name, argumentsOf(one), one.description ?? ''])
        output.table(['PROMPT', 'ARGUMENTS', 'DESCRIPTION'], rows, `${name} has no prompts.`)
        const [first] = prompts
        if (first)
          output.next({ description: 'Fill in a prompt', command: exampleOf({ ...input, env }, first) })
      })
    })
  },
})

/** `city, [interest]` */
function argumentsOf({ arguments: all = [] }: Prompt): string {
  return all.map(one => (one.required ? one.name : `[${one.name}]`)).join(', ')
}

function exampleOf(input: ChosenServer, { name, arguments: all = [] }: Prompt): string {
  const required = all.filter(one => one.required).map(one => `${quoteShellWord(one.name)}=…`)
  return commandForServer('prompt', input, quoteShellWord(name), ...required)
}
