import { isObject } from '../protocol/json-rpc.ts'
import type { Result } from './rpc-channel.ts'

/** A list that never ends is cut off here. */
const MAX_PAGES = 1000

/** What a server says of itself. */
export interface ServerFacts {
  protocolVersion: string
  capabilities: Result
  serverInfo: { name: string; version: string; title?: string }
  instructions: string | undefined
}

export function toFacts(answer: Result): ServerFacts {
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

/** Everything of one list, page after page. */
export async function readPages(member: string, ask: (params: Result) => Promise<Result>): Promise<Result[]> {
  const entries: Result[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const answer = await ask(cursor === undefined ? {} : { cursor })
    if (Array.isArray(answer[member])) entries.push(...answer[member])
    cursor = answer.nextCursor
    if (typeof cursor !== 'string') break
  }
  return entries
}
