import { createInterface } from 'node:readline'
import { formatDurationMs } from '../../shared/duration.ts'
import { type ErrorCode, HostingError } from '../../shared/errors.ts'
import type { TestEvent } from '../../shared/test-results.ts'
import { type ChatRoom, runChatCommand } from '../chat-commands.ts'
import { ChatSession } from '../chat-session.ts'
import { defineCommand } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { layOutReply } from '../reply-text.ts'
import { RUN_OPTIONS, readRunSettings } from '../test-options.ts'
import { mark, shorten } from '../test-output.ts'
import { resolveTestTarget } from '../test-target.ts'

// The server is the argument here.
const { server: _server, ...OPTIONS } = RUN_OPTIONS

export default defineCommand({
  name: 'chat',
  summary: 'talk with an agent that uses a server',
  description:
    'A conversation in the terminal, calls shown as they run. /tools lists the tools, /reset begins anew, /save <suite.yaml> makes a test case of the conversation, /exit ends. Without a terminal each line of standard input is a message, and with --json each event is a line of JSON.',
  arguments: { server: { doc: 'name, mcp_id or deployment id; the project in this folder when absent' } },
  options: {
    ...OPTIONS,
    model: { type: 'string', value: 'model', doc: 'model of the agent' },
  },
  examples: [
    { command: 'mcp chat weather', does: 'with the server weather' },
    {
      command: 'mcp chat --model claude-sonnet-4-5',
      does: "the project in this folder, with a vendor's model",
    },
    { command: 'mcp chat weather < questions.txt', does: 'a line, a message' },
  ],
  async run(context, input): Promise<ExitCode> {
    const target = await resolveTestTarget(context, input)
    if (typeof target === 'number') return target
    const model = input.model ? { ai_model: input.model } : {}
    const chat = new ChatSession(context, { mcp_id: target.mcpId, ...model, ...readRunSettings(input) })
    context.output.note(`Talking with ${target.name}; /help tells what there is.`)
    return converse({ context, chat, target })
  },
})

async function converse(room: ChatRoom): Promise<ExitCode> {
  const { output, signal } = room.context
  const { interactive } = output
  const lines = createInterface({
    input: process.stdin,
    ...(interactive ? { output: process.stderr, prompt: '> ' } : {}),
  })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  // In a terminal Ctrl-C ends the answer under way first, and the conversation when there is none.
  let answering: AbortController | undefined
  lines.on('SIGINT', () => (answering ? answering.abort() : lines.close()))
  if (interactive) lines.prompt()
  for await (const line of lines) {
    const text = line.trim()
    if (text === '/exit') break
    try {
      if (text.startsWith('/')) await runChatCommand(room, text)
      else if (text !== '') {
        answering = new AbortController()
        await answer(room, text, AbortSignal.any([signal, answering.signal]))
      }
    } catch (error) {
      if (answering?.signal.aborted) output.note('The answer was ended.')
      // A person goes on after a fault; a script wants to know of it.
      else if (!interactive || signal.aborted || !(error instanceof HostingError)) throw error
      else await output.error(error)
    } finally {
      answering = undefined
    }
    if (interactive) lines.prompt()
  }
  return signal.aborted ? EXIT.interrupted : EXIT.done
}

async function answer({ context, chat }: ChatRoom, text: string, signal: AbortSignal): Promise<void> {
  const { output } = context
  const printer = new EventPrinter(output)
  for await (const event of chat.send(text, signal)) {
    if (output.json) output.entry(event, () => '')
    else printer.print(event)
    if (event.type !== 'error') continue
    const { code, message, details } = event.error
    throw new HostingError(code as ErrorCode, message, { details })
  }
  if (chat.exchanges.length === 1) output.warnOf(chat.exchanges[0]!.result)
}

/** Text as it comes, and a line for each call and each answer to one. */
class EventPrinter {
  readonly #output: Output
  #streamed = false
  #isOpen = false

  constructor(output: Output) {
    this.#output = output
  }

  print(event: TestEvent): void {
    const { style } = this.#output
    switch (event.type) {
      case 'text':
        this.#output.part(layOutReply(event.text))
        this.#isOpen = true
        this.#streamed = true
        break
      case 'call':
        this.#line(style.dim(`  ${event.name} ${shorten(JSON.stringify(event.arguments))}`))
        break
      case 'answer': {
        const time = style.dim(formatDurationMs(event.seconds * 1000))
        this.#line(`  ${mark(this.#output, event.error, shorten(event.text))} ${time}`)
        break
      }
      case 'question':
        this.#line(
          style.dim(
            `  ${event.question.kind}: ${shorten(event.question.message)}: ${event.question.outcome}`,
          ),
        )
        break
      case 'result':
        this.#line(this.#streamed ? undefined : event.result.ai_response)
        break
    }
  }

  #line(text: string | undefined): void {
    if (this.#isOpen) this.#output.line()
    this.#isOpen = false
    if (text !== undefined) this.#output.line(text)
  }
}
