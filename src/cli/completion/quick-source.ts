import type { ApiClient } from '../api/client.ts'
import type { ChoiceSource, Given } from '../choices/choice.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { impliedEnvironment } from '../dev/dev-mark.ts'
import { ModernClient } from '../mcp-client/modern-client.ts'
import { modernConnection } from '../mcp-client/modern-connection.ts'
import type { ServerConnection } from '../mcp-client/server-connection.ts'
import { resolveTarget } from '../targets/server-target.ts'

/** Lists with as few requests as possible. Only servers that need no sign-in answer. */
export function quickSource(
  context: CommandContext,
  api: () => Promise<ApiClient>,
  timeoutMs: number,
): ChoiceSource {
  const connect = async ({ words, env }: Given): Promise<ServerConnection> => {
    const [server = ''] = words.server ?? []
    const chosen = env ?? impliedEnvironment(context, server)
    const { url } = await resolveTarget({ api }, server, chosen as 'preview' | undefined)
    return modernConnection(new ModernClient(url, { timeoutMs }), { hasLog: false })
  }
  return {
    api,
    config: context.paths.config,
    tools: async given => (await connect(given)).listTools(),
    prompts: async given => (await connect(given)).listPrompts(),
    resources: async given => (await connect(given)).listResources(),
  }
}
