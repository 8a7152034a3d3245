import { LOG_LEVEL } from '../../shared/mcp-client/connect.ts'
import { ignoreMissingList } from './missing-list.ts'
import { type ModernClient, SdkRequiredError } from './modern-client.ts'
import {
  hasMembers,
  isListOf,
  isPrompt,
  isPromptResult,
  isReadResult,
  isResource,
  isResourceTemplate,
  isTool,
  isToolResult,
} from './result-checks.ts'
import type { ServerConnection } from './server-connection.ts'

export function modernConnection(client: ModernClient, { hasLog }: { hasLog: boolean }): ServerConnection {
  return {
    async listTools() {
      const tools = await listAll(client, 'tools/list', 'tools', isTool)
      requireNoHeaders(tools)
      return tools
    },
    listPrompts: () => listAll(client, 'prompts/list', 'prompts', isPrompt),
    async listResources() {
      const [resources, resourceTemplates] = await Promise.all([
        listAll(client, 'resources/list', 'resources', isResource),
        listAll(client, 'resources/templates/list', 'resourceTemplates', isResourceTemplate),
      ])
      return { resources, resourceTemplates }
    },
    callTool: ({ name }, args, onProgress) =>
      client.request(
        {
          method: 'tools/call',
          params: { name, arguments: args },
          about: name,
          logLevel: hasLog ? LOG_LEVEL : undefined,
          onProgress,
        },
        isToolResult,
      ),
    getPrompt: (name, args) =>
      client.request(
        { method: 'prompts/get', params: { name, arguments: args }, about: name },
        isPromptResult,
      ),
    readResource: uri =>
      client.request({ method: 'resources/read', params: { uri }, about: uri }, isReadResult),
  }
}

/** The SDK has the same limit. */
const MAX_PAGES = 64

async function listAll<T>(
  client: ModernClient,
  method: string,
  member: string,
  isEntry: (value: unknown) => value is T,
): Promise<T[]> {
  const isPage = hasMembers<Record<string, T[]> & { nextCursor?: string }>({ [member]: isListOf(isEntry) })
  const entries: T[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const request = client.request({ method, ...(cursor && { params: { cursor } }) }, isPage)
    const page = await request.catch(ignoreMissingList)
    if (!page) return entries
    entries.push(...page[member]!)
    cursor = page.nextCursor
    if (!cursor) return entries
  }
  throw new Error(`its list of ${member} has more than ${MAX_PAGES} pages`)
}

/** Arguments in headers (SEP-2243, `x-mcp-header`) are rare, and the SDK knows their rules. */
function requireNoHeaders(tools: unknown): void {
  if (JSON.stringify(tools).includes('"x-mcp-header":')) throw new SdkRequiredError()
}
