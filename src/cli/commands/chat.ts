import { createInterface } from 'node:readline'
import type { TestEvent } from '../../shared/contract/testing/test-results.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { type ErrorCode, HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import type { Output } from '../output/output.ts'
import { formatReply } from '../output/reply-text.ts'
import { resolveTestTarget } from '../targets/test-target.ts'
import { type ChatContext, runChatCommand } from '../testing/chat-commands.ts'
import { ChatSession } from '../testing/chat-session.ts'
import { RUN_OPTIONS, readRunSettings } from '../testing/test-options.ts'
import { mark, shorten } from '../testing/test-output.ts'

// `chat` takes the server as an argument.
const { server: _server, ...OPTIONS } = RUN_OPTIONS

export default defineCommand({
  name: 'chat',
  description:
    'Chat in the terminal and show tool calls as they run. /tools lists the tools, /reset starts over, /save <suite.yaml> saves the conversation as a test case, /exit quits. Without a terminal, each line of standard input is a message. With --json, each event is one line of JSON.',
  arguments: {
    server: { kind: 'server', doc: 'name, mcp_id or deployment id; default: the project in this folder' },
  },
  options: {
    ...OPTIONS,
    model: { type: 'string', value: 'model', doc: 'model of the agent' },
  },
  examples: {
    'mcp chat weather': 'chat about the server weather',
    'mcp chat --model claude-sonnet-4-5': "the project in this folder, with a vendor's model",
    'mcp chat weather < questions.txt': 'one message per line',
  },
  async run(context, input): Promise<ExitCode> {
    const model = input.model ? { ai_model: input.model } : {}
    const settings = readRunSettings(input)
    // A temporary build would expire while the user thinks.
    const target = await resolveTestTarget(context, input, { isDiscarded: true })
    if (typeof target === 'number') return target
    try {
      const chat = new ChatSession(context, { mcp_id: target.mcpId, ...model, ...settings })
      context.output.note(`Chatting with ${target.name}. Type /help for commands.`)
      return await converse({ context, chat, target })
    } finally {
      await target.discard?.()
    }
  },
})

async function converse(context: ChatContext): Promise<ExitCode> {
  const { output, signal } = context.context
  const { interactive } = output
  const lines = createInterface({
    input: process.stdin,
    ...(interactive ? { output: process.stderr, prompt: '> ' } : {}),
  })
  signal.addEventListener('abort', () => lines.close(), { once: true })
  // At a terminal, Ctrl-C cancels the running answer, or ends the chat if no answer is running.
  let answering: AbortController | undefined
  let interrupted = false
  lines.on('SIGINT', () => {
    if (answering) return answering.abort()
    interrupted = true
    lines.close()
  })
  // Breaking out of the loop leaves the interface open, which would keep the process running.
  using _open = { [Symbol.dispose]: () => lines.close() }
  if (interactive) lines.prompt()
  for await (const line of lines) {
    const text = line.trim()
    if (text === '/exit') break
    try {
      if (text.startsWith('/')) await runChatCommand(context, text)
      else if (text !== '') {
        answering = new AbortController()
        await answer(context, text, AbortSignal.any([signal, answering.signal]))
      }
    } catch (error) {
      if (answering?.signal.aborted) output.note('Answer cancelled.')
      // At a terminal, the chat continues after an error. In a script, the command fails.
      else if (!interactive || signal.aborted || !(error instanceof HostingError)) throw error
      else await output.error(error)
    } finally {
      answering = undefined
    }
    if (interactive) lines.prompt()
  }
  return interrupted || signal.aborted ? EXIT.interrupted : EXIT.done
}

async function answer({ context, chat }: ChatContext, text: string, signal: AbortSignal): Promise<void> {
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

/** Prints text as it arrives, and one line per tool call, tool result and question. */
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
        this.#output.part(formatReply(event.text))
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
