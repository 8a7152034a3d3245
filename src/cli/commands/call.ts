import type { CallToolResult } from '@modelcontextprotocol/client'
import { HostingError } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { getNamed } from '../mcp-client/get-named.ts'
import type { OnProgress } from '../mcp-client/server-connection.ts'
import { resultToText } from '../output/content.ts'
import { completeArguments } from '../pickers/complete-arguments.ts'
import { commandForServer, SERVER_ARGUMENT, SERVER_OPTIONS } from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'
import { fitsSchema } from '../testing/argument-check.ts'
import { parseToolArguments } from '../testing/tool-arguments.ts'

export default defineCommand({
  name: 'call',
  description:
    "Call a tool and print its result. Values are parsed according to the tool's schema: key=value, key:=<json>, a JSON object, @file, or - for standard input. Logs and progress go to standard error. Exits with 1 when the tool reports an error, and with 2 when the values do not fit the schema.",
  arguments: {
    server: SERVER_ARGUMENT,
    tool: { kind: 'tool', doc: 'name of the tool', required: true },
    values: { kind: 'tool arguments', doc: 'key=value, key:=<json>, {json}, @file or -', variadic: true },
  },
  options: SERVER_OPTIONS,
  examples: {
    'mcp call weather current_weather city=Oslo': 'one argument',
    'mcp call weather compare_cities \'cities:=["Oslo","Lima"]\'': 'a list as JSON',
    'echo \'{"city":"Oslo"}\' | mcp call weather forecast -': 'from standard input',
    'mcp call https://example.com/mcp some_tool --json': 'any MCP server, the complete result',
  },
  async run(context, input): Promise<ExitCode> {
    const { output } = context
    const { tool, args, result } = await useServer(
      context,
      input,
      async (connection, { env }) => {
        const tool = getNamed('tool', await connection.listTools(), input.tool)
        const values = parseToolArguments(input.values, tool.inputSchema)
        const help = commandForServer('tools', { ...input, env }, quoteShellWord(tool.name))
        const args = await completeArguments(context, { ...tool, help }, values)
        const onProgress: OnProgress = (...progress) => output.note(progressLine(...progress))
        return { tool, args, result: await connection.callTool(tool, args, onProgress) }
      },
      { acts: true },
    )
    report(context, tool.name, result)
    if (!result.isError) return EXIT.done
    return (await fitsSchema(args, tool.inputSchema)) ? EXIT.failed : EXIT.usage
  },
})

function report({ output }: CommandContext, tool: string, result: CallToolResult): void {
  const text = resultToText(result)
  if (output.json) output.result(result, () => {})
  // Adds the tool's name unless the server's message already contains it.
  else if (result.isError)
    output.error(new HostingError('UPSTREAM_FAILED', text.includes(tool) ? text : `${tool}: ${text}`))
  else output.content(text)
}

/** `1/2 Looked up` */
function progressLine(progress: number, total: number | undefined, message: string | undefined): string {
  return [total === undefined ? String(progress) : `${progress}/${total}`, message].filter(Boolean).join(' ')
}
