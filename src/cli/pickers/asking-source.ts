import type { ChoiceSource, TypedInput } from '../choices/choice.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ServerConnection } from '../mcp-client/server-connection.ts'
import type { ServerInput } from '../targets/server-input.ts'
import { useServer } from '../targets/use-server.ts'

/** Source of the lists for questions, and for errors that name all values. Connects like the command itself, once per list. */
export function askingSource(context: CommandContext, input: Record<string, unknown>): ChoiceSource {
  const { api, paths, cwd } = context
  const listed = new Map<string, Promise<unknown>>()
  const list = <T>({ words }: TypedInput, kind: string, read: (from: ServerConnection) => Promise<T>) => {
    const [server = ''] = words.server ?? []
    const reading = listed.get(kind) ?? useServer(context, { ...input, server } as ServerInput, read)
    listed.set(kind, reading)
    return reading as Promise<T>
  }
  return {
    api,
    config: paths.config,
    directory: cwd,
    tools: given => list(given, 'tools', from => from.listTools()),
    prompts: given => list(given, 'prompts', from => from.listPrompts()),
    resources: given => list(given, 'resources', from => from.listResources()),
  }
}
