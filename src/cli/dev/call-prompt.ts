import type { CommandContext } from '../command-line/command-context.ts'
import { resultToText } from '../output/content.ts'
import { printable } from '../output/table.ts'

/** Prompts for a tool and its arguments, calls it and prints the result. Throws the call's errors. */
export async function promptCall({ globals, signal, output }: CommandContext, url: string): Promise<void> {
  const [{ default: inquirer }, { withServer }, { parseToolArguments }] = await Promise.all([
    import('inquirer'),
    import('../mcp-client/with-server.ts'),
    import('../testing/tool-arguments.ts'),
  ])
  const options = { timeoutMs: globals.timeout, signal }
  await withServer(url, options, async connection => {
    const tools = await connection.listTools()
    if (tools.length === 0) return output.line('The server has no tools.')
    const choices = tools.map(toChoice)
    const { name } = await inquirer.prompt([{ type: 'select', name: 'name', message: 'Tool', choices }])
    const tool = tools.find(each => each.name === name)!
    const { words } = await inquirer.prompt([
      { type: 'input', name: 'words', message: printable(hintOf(tool.inputSchema)) },
    ])
    const args = parseToolArguments(splitWords(words), tool.inputSchema)
    const result = await connection.callTool(tool, args)
    output.line(
      `${result.isError ? output.style.red('error') : output.style.green('answer')}  ${resultToText(result)}`,
    )
  })
}

/** Escapes text, because prompts print it unchanged. */
export function toChoice({ name, description }: { name: string; description?: string | undefined }) {
  return { name: printable(name), value: name, ...(description && { description: printable(description) }) }
}

/** `Arguments (city=… days=…)` */
function hintOf({ properties = {} }: { properties?: object }): string {
  const names = Object.keys(properties).map(name => `${name}=…`)
  return names.length > 0 ? `Arguments (${names.join(' ')})` : 'Arguments (none)'
}

/** Splits at spaces except inside quotes. A JSON object is one word. */
function splitWords(text: string): string[] {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) return [trimmed]
  const words = trimmed.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  return words.map(word =>
    word.includes(':=') ? word.replace(/:='(.*)'$/s, ':=$1') : word.replace(/["']/g, ''),
  )
}
