import { matchPath } from '../../router/match-path.ts'
import type { ServerTab } from '../paths.ts'

/** Tabs of a server, in order. Their content is in server-view.tsx, which is not part of the first load. */
export const SERVER_TABS = [
  ['', 'Overview'],
  ['/playground', 'Playground'],
  ['/requests', 'Requests'],
  ['/logs', 'Logs'],
  ['/releases', 'Releases'],
  ['/tests', 'Tests'],
  ['/settings', 'Settings'],
] as const satisfies readonly (readonly [path: ServerTab, title: string])[]

/** Server and tab that a path shows. Undefined for other views. */
export function matchServerTab(path: string): { name: string; tab: ServerTab } | undefined {
  for (const [tab] of SERVER_TABS) {
    const params = matchPath(`/servers/:name${tab}`, path)
    if (params) return { name: params.name!, tab }
  }
  return undefined
}
