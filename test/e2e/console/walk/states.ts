import type { View } from '../views.ts'

/** A page without data, and the text that says why. */
type PageState = Omit<View, 'name'>

/** Views of a daemon without servers. */
export const EMPTY: readonly PageState[] = [
  { path: '/', text: 'Deploy your first server' },
  { path: '/projects', text: 'No projects yet' },
  { path: '/builds', text: 'Deploy your first server' },
  { path: '/builds?kind=containers', text: 'No container builds yet' },
  { path: '/chat', text: 'There is no server to chat with' },
  { path: '/domains', text: 'No subdomain is mapped' },
  { path: '/system', text: 'There is no backup yet.' },
]

/** Paths of pages and records that do not exist. */
export const MISSING: readonly PageState[] = [
  { path: '/nowhere', text: 'There is no such page' },
  { path: '/servers/nowhere', text: /^There is no server/ },
  { path: '/builds/mcp_nowhere', text: /mcp_nowhere/ },
  { path: '/builds/build_nowhere', text: /build_nowhere/ },
  { path: '/chat/chat_nowhere', text: /chat_nowhere/ },
  { path: '/servers/weather/tests?env=production&run=run_nowhere', text: /run_nowhere/ },
  { path: '/servers/weather/requests?env=production&request=req_nowhere', text: /req_nowhere/ },
]

/** Pages that need more than the scope READ, opened with a key that has only this scope. */
export const FORBIDDEN: readonly PageState[] = [
  { path: '/servers/weather/playground?env=production', text: /CHAT/ },
  { path: '/servers/weather/tests?env=production', text: /CHAT/ },
  { path: '/chat', text: /CHAT/ },
  { path: '/keys', text: /ADMIN/ },
  { path: '/system', text: /ADMIN/ },
]
