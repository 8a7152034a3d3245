import { isObject, type JsonObject } from '../protocol/json-rpc.ts'

/** Maximum number of pages, for lists that never end. */
const MAX_PAGES = 1000

/** Self-description of a server. */
export interface ServerFacts {
  protocolVersion: string
  capabilities: JsonObject
  serverInfo: { name: string; version: string; title?: string }
  instructions: string | undefined
}

export function toFacts(answer: JsonObject): ServerFacts {
  const { protocolVersion, capabilities, serverInfo, instructions } = answer
  const info = isObject(serverInfo) ? serverInfo : {}
  return {
    protocolVersion: String(protocolVersion),
    capabilities: isObject(capabilities) ? capabilities : {},
    serverInfo: {
      name: String(info.name ?? ''),
      version: String(info.version ?? ''),
      ...(typeof info.title === 'string' ? { title: info.title } : {}),
    },
    instructions: typeof instructions === 'string' ? instructions : undefined,
  }
}

/** All entries of a list, from all pages. */
export async function readPages(
  member: string,
  ask: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject[]> {
  const entries: JsonObject[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(cursor === undefined ? {} : { cursor })
    if (Array.isArray(answer[member])) entries.push(...answer[member])
    cursor = answer.nextCursor
    if (typeof cursor !== 'string') break
  }
  return entries
}
