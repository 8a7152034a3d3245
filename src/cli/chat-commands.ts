import type { BuildRecord } from '../shared/builds.ts'
import { HostingError } from '../shared/errors.ts'
import { nearestName } from '../shared/names.ts'
import type { ChatSession } from './chat-session.ts'
import type { CommandContext } from './command-context.ts'
import type { TestTarget } from './test-target.ts'

export interface ChatRoom {
  context: CommandContext
  chat: ChatSession
  target: TestTarget
}

interface ChatCommand {
  does: string
  /** Shown after its name. */
  takes?: string
  run(room: ChatRoom, argument: string): Promise<void> | void
}

/** What begins with a slash is for the terminal and not for the agent. `/exit` is the loop's own. */
const COMMANDS: Record<string, ChatCommand> = {
  tools: { does: 'list the tools of the server', run: listTools },
  reset: { does: 'forget the conversation and begin anew', run: reset },
  save: { does: 'make a test case of the conversation', takes: '<suite.yaml>', run: save },
  help: { does: 'tell what there is', run: help },
  exit: { does: 'end', run: () => {} },
}

/** Runs `/name argument`. Throws INVALID_REQUEST for a name that is not known. */
export async function runChatCommand(room: ChatRoom, line: string): Promise<void> {
  const [, name = '', argument = ''] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? []
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (command) return command.run(room, argument.trim())
  const near = nearestName(name, Object.keys(COMMANDS))
  throw new HostingError(
    'INVALID_REQUEST',
    `There is no /${name}${near ? `: did you mean /${near}?` : '; /help tells what there is.'}`,
  )
}

async function listTools({ context, target }: ChatRoom): Promise<void> {
  const api = await context.api()
  const { url } = await api.get<BuildRecord>(`/v1/build/${encodeURIComponent(target.mcpId)}`)
  const { listTools, withServer } = await import('./mcp-client.ts')
  const { globals, signal, output } = context
  const tools = await withServer(url, { timeoutMs: globals.timeout, signal }, listTools)
  if (output.json) return output.entry({ type: 'tools', tools }, () => '')
  output.table(
    ['TOOL', 'DOES'],
    tools.map(({ name, title, description }) => [name, description ?? title ?? '']),
    'No tools.',
  )
}

function reset({ chat, context }: ChatRoom): void {
  chat.reset()
  context.output.note('A new conversation.')
}

async function save({ chat, context, target }: ChatRoom, file: string): Promise<void> {
  if (file === '')
    throw new HostingError('INVALID_REQUEST', '/save needs the name of a file, for example /save tests.yaml.')
  if (chat.exchanges.length === 0)
    throw new HostingError('INVALID_REQUEST', 'There is nothing to save yet: say something first.')
  const { saveCase } = await import('./suite/save-case.ts')
  const path = await saveCase(file, target.name, chat.exchanges)
  context.output.note(`Saved as a case of ${path}; run it with: mcp test --suite ${file}`)
}

function help({ context }: ChatRoom): void {
  const rows = Object.entries(COMMANDS).map(([name, { takes, does }]) => [
    `/${name}${takes ? ` ${takes}` : ''}`,
    does,
  ])
  context.output.table(['COMMAND', 'DOES'], rows)
}
