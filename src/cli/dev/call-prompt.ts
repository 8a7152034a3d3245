import type { ArgumentSchema } from '../choices/argument-choices.ts'
import { summaryOf } from '../choices/choice.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { resultToText } from '../output/content.ts'

/** Asks for a tool and its arguments, calls it and prints the result. Throws the call's errors. */
export async function promptCall({ globals, signal, output }: CommandContext, url: string): Promise<void> {
  const [{ pick }, { askValues }, { withServer }, { parseToolArguments }] = await Promise.all([
    import('../pickers/pick.ts'),
    import('../pickers/ask-values.ts'),
    import('../mcp-client/with-server.ts'),
    import('../testing/tool-arguments.ts'),
  ])
  const options = { timeoutMs: globals.timeout, signal }
  await withServer(url, options, async connection => {
    const tools = await connection.listTools()
    if (tools.length === 0) return output.line('The server has no tools.')
    const choices = tools.map(one => ({ value: one.name, doc: summaryOf(one.description) }))
    const name = await pick('Tool', choices)
    const tool = tools.find(each => each.name === name)!
    const words = await askValues(tool.inputSchema as ArgumentSchema)
    const result = await connection.callTool(tool, parseToolArguments(words, tool.inputSchema))
    output.line(
      `${result.isError ? output.style.red('error') : output.style.green('answer')}  ${resultToText(result)}`,
    )
  })
}
