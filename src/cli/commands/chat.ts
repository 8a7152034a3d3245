import { createInterface } from 'node:readline'
import { formatDurationMs } from '../../shared/duration.ts'
import { type ErrorCode, HostingError } from '../../shared/errors.ts'
import type { TestEvent } from '../../shared/test-runs.ts'
import { ChatSession } from '../chat-session.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { RUN_OPTIONS, readRunSettings } from '../test-options.ts'
import { mark, shorten, tellDefaultModel } from '../test-output.ts'
import { resolveTestTarget } from '../test-target.ts'

export default defineCommand({
  name: 'chat',
  summary: 'talk with an agent that uses a server',
  description:
    'A conversation in the terminal, tool calls shown as they run. /tools lists the tools, /reset begins anew, /save <suite.yaml> makes a test case of the conversation, /exit ends. Without a terminal each line of standard input is a message.',
  arguments: { server: { doc: 'name, mcp_id or deployment id; the project in this folder when absent' } },
  options: {
    ...RUN_OPTIONS,
    model: { type: 'string', value: 'model', doc: 'model of the agent' },
  },
  examples: [
    { command: 'mcp chat weather', does: 'with the server weather' },
    {
      command: 'mcp chat --model claude-sonnet-4-5',
      does: "the project in this folder, with a vendor's model",
    },
  ],
  async run(context, input): Promise<ExitCode> {
    const target = await resolveTestTarget(context, { ...input, server: input.server ?? undefined })
    if (typeof target === 'number') return target
    const model = input.model ? { ai_model: input.model } : {}
    const chat = new ChatSession(context, { mcp_id: target.mcpId, ...model, ...readRunSettings(input) })
    context.output.note(`Talking with ${target.name}; /help tells what there is.`)
    return converse(context, chat)
  },
})

async function converse(context: CommandContext, chat: ChatSession): Promise<ExitCode> {
  const { output, signal } = context
  const lines = createInterface({
    input: process.stdin,
    output: output.interactive ? process.stderr : undefined,
    prompt: '> ',
  })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  let code: ExitCode = EXIT.done
  if (output.interactive) lines.prompt()
  for await (const line of lines) {
    const text = line.trim()
    if (text === '/exit' || text === '/quit') break
    try {
      if (text !== '') await answer(context, chat, text)
    } catch (error) {
      if (!(error instanceof HostingError) || !output.interactive) throw error
      await output.error(error)
      code = EXIT.done
    }
    if (output.interactive) lines.prompt()
  }
  return code
}

async function answer(context: CommandContext, chat: ChatSession, text: string): Promise<void> {
  const { output, signal } = context
  for await (const event of chat.send(text, signal)) {
    if (output.json) output.entry(event, () => '')
    else print(context, event)
    if (event.type === 'error')
      throw new HostingError(event.error.code as ErrorCode, event.error.message, {
        details: event.error.details,
      })
  }
  if (chat.exchanges.length === 1) tellDefaultModel(output, undefined, chat.exchanges[0]!.result.model)
}

function print({ output }: CommandContext, event: TestEvent): void {
  if (event.type === 'call')
    output.line(output.style.dim(`  ${event.name} ${shorten(JSON.stringify(event.arguments))}`))
  if (event.type === 'answer')
    output.line(
      `  ${mark(output, event.error, shorten(event.text))} ${output.style.dim(formatDurationMs(event.seconds * 1000))}`,
    )
  if (event.type === 'result') output.line(event.result.ai_response)
}
