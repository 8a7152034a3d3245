import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { TestTarget } from '../targets/test-target.ts'
import type { ChatSession } from './chat-session.ts'

export interface ChatContext {
  context: CommandContext
  chat: ChatSession
  target: TestTarget
}

interface ChatCommand {
  does: string
  /** Argument shown after the name. */
  takes?: string
  run(chat: ChatContext, argument: string): Promise<void> | void
}

/** Lines with a leading slash are for the terminal, not the agent. The chat loop handles `/exit`. */
const COMMANDS: Record<string, ChatCommand> = {
  tools: { does: 'list the tools of the server', run: listTools },
  reset: { does: 'start a new conversation', run: reset },
  save: { does: 'save the conversation as a test case', takes: '<suite.yaml>', run: save },
  help: { does: 'list commands', run: help },
  exit: { does: 'quit', run: () => {} },
}

/** Runs `/name argument`. Throws INVALID_REQUEST for an unknown name. */
export async function runChatCommand(chat: ChatContext, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? []
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command) return command.run(chat, argument.trim())
  const near = nearestName(name, Object.keys(COMMANDS))
  throw new HostingError(
    'INVALID_REQUEST',
    `Unknown command /${name}. ${near ? `Did you mean /${near}?` : 'Type /help for a list.'}`,
  )
}

async function listTools({ context, target }: ChatContext): Promise<void> {
  const api = await context.api()
  const { url } = await api.get<BuildRecord>(`/v1/build/${encodeURIComponent(target.mcpId)}`)
  const { withServer } = await import('../mcp-client/with-server.ts')
  const { globals, signal, output } = context
  const tools = await withServer(url, { timeoutMs: globals.timeout, signal }, connection =>
    connection.listTools(),
  )
  if (output.json) return output.entry({ type: 'tools', tools }, () => '')
  output.table(
    ['TOOL', 'DESCRIPTION'],
    tools.map(({ name, title, description }) => [name, description ?? title ?? '']),
    'No tools.',
  )
}

function reset({ chat, context }: ChatContext): void {
  chat.reset()
  context.output.note('Started a new conversation.')
}

async function save({ chat, context, target }: ChatContext, file: string): Promise<void> {
  if (file === '')
    throw new HostingError('INVALID_REQUEST', '/save requires a file name, for example /save tests.yaml.')
  if (chat.exchanges.length === 0)
    throw new HostingError('INVALID_REQUEST', 'Nothing to save yet. Send a message first.')
  const { saveCase } = await import('../suite/save-case.ts')
  const path = await saveCase(file, target.name, chat.exchanges)
  context.output.note(`Saved as a case in ${path}. Run the suite with:`)
  context.output.command(`mcp test --suite ${quoteShellWord(file)}`)
}

function help({ context }: ChatContext): void {
  const rows = Object.entries(COMMANDS).map(([name, { takes, does }]) => [
    `/${name}${takes ? ` ${takes}` : ''}`,
    does,
  ])
  context.output.table(['COMMAND', 'DESCRIPTION'], rows)
}
