import type { ResourceTemplateType } from '@modelcontextprotocol/client'
import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { ApiClient } from '../api/client.ts'
import type { ChoiceSource, TypedInput } from '../choices/choice.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { impliedEnvironment } from '../dev/dev-mark.ts'
import { ModernClient } from '../mcp-client/modern-client.ts'
import { modernConnection } from '../mcp-client/modern-connection.ts'
import type { ServerConnection } from '../mcp-client/server-connection.ts'
import { isFresh } from '../sign-in/server-auth.ts'
import { readServerSession } from '../sign-in/server-store.ts'
import { resolveTarget } from '../targets/server-target.ts'

type Lists = Pick<ServerConnection, 'listTools' | 'listPrompts' | 'listResources'>

/**
 * Lists with as few requests as possible and without interaction. For a server that refuses requests, for example because it
 * requires sign-in, lists what it had when it was built.
 */
export function quickSource(
  context: CommandContext,
  api: () => Promise<ApiClient>,
  timeoutMs: number,
): ChoiceSource {
  const { paths, cwd } = context
  const read = async <T>({ words, env }: TypedInput, list: (from: Lists) => Promise<T>): Promise<T> => {
    const [server = ''] = words.server ?? []
    const chosen = env ?? impliedEnvironment(context, server)
    const { url, id } = await resolveTarget({ api }, server, chosen as 'preview' | undefined)
    const token = savedToken(paths.signIns, url)
    try {
      return await list(modernConnection(new ModernClient(url, { timeoutMs, token }), { hasLog: false }))
    } catch (error) {
      if (id === undefined) throw error
      return list(await buildLists(await api(), id))
    }
  }
  return {
    api,
    config: paths.config,
    directory: cwd,
    tools: given => read(given, from => from.listTools()),
    prompts: given => read(given, from => from.listPrompts()),
    resources: given => read(given, from => from.listResources()),
  }
}

/** Token of an earlier sign-in. It is not renewed, because completion may be aborted before it saves the new token. */
function savedToken(file: string, url: string): string | undefined {
  const session = readServerSession(file, url)
  return session && isFresh(session) ? session.accessToken : undefined
}

/** Lists in the artifact of a build or of a deployment's build. */
async function buildLists(api: ApiClient, id: string): Promise<Lists> {
  const path = `/v1/deploy/${encodeURIComponent(id)}/status`
  const { mcp_id } = id.startsWith('dep_') ? await api.get<{ mcp_id: string }>(path) : { mcp_id: id }
  const built = await api.get<Artifact>(`/v1/build/${encodeURIComponent(mcp_id)}/artifact`)
  const isTemplate = ({ uri }: { uri: string }) => uri.includes('{')
  return {
    listTools: async () => built.tools as Awaited<ReturnType<Lists['listTools']>>,
    listPrompts: async () => built.prompts,
    listResources: async () => ({
      resources: built.resources.filter(one => !isTemplate(one)),
      resourceTemplates: built.resources
        .filter(isTemplate)
        .map(({ uri, ...rest }): ResourceTemplateType => ({ ...rest, uriTemplate: uri })),
    }),
  }
}
