import type { CommandContext } from '../command-context.ts'
import { resultToText } from '../content.ts'

/** Asks for a tool and its arguments, calls it and prints the answer. Throws what the call throws. */
export async function promptCall({ globals, signal, output }: CommandContext, url: string): Promise<void> {
  const [{ default: inquirer }, { callTool, listTools, withServer }, { parseToolArguments }] =
    await Promise.all([import('inquirer'), import('../mcp-client.ts'), import('../tool-arguments.ts')])
  const options = { timeoutMs: globals.timeout, signal }
  await withServer(url, options, async connection => {
    const tools = await listTools(connection)
    if (tools.length === 0) return output.line('The server has no tools.')
    const choices = tools.map(({ name, description }) => ({ name, value: name, description }))
    const { name } = await inquirer.prompt([{ type: 'select', name: 'name', message: 'Tool', choices }])
    const tool = tools.find(each => each.name === name)!
    const { words } = await inquirer.prompt([
      { type: 'input', name: 'words', message: hintOf(tool.inputSchema) },
    ])
    const args = parseToolArguments(splitWords(words), tool.inputSchema)
    const result = await callTool(connection, name, args, options)
    output.line(
      `${result.isError ? output.style.red('error') : output.style.green('answer')}  ${resultToText(result)}`,
    )
  })
}

/** `Arguments (city=… days=…)` */
function hintOf({ properties = {} }: { properties?: object }): string {
  const names = Object.keys(properties).map(name => `${name}=…`)
  return names.length > 0 ? `Arguments (${names.join(' ')})` : 'Arguments (none)'
}

/** Blanks separate, quotes hold together; one JSON object is taken whole. */
function splitWords(text: string): string[] {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return [trimmed]
  const words = trimmed.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map(word =>
    word.includes(':=') ? word.replace(/:='(.*)'$/s, ':=$1') : word.replace(/["']/g, ''),
  )
}
