import { RequestContext } from '../protocol/request-context.ts'
import type { TenantExchange } from '../tenant/served-tenant.ts'
import { originalUrl } from './original-url.ts'
import { sendText } from './responses.ts'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}' +
  'pre{overflow:auto;padding:.8rem;border:1px solid #8886;border-radius:.4rem}dd{margin:0 0 .6rem 1rem}'

/** The page is sent without tools if a program does not list them in this time. */
const LIST_TIMEOUT_MS = 5000

/** Names and descriptions come from the server's code, so the page runs no scripts and loads nothing. */
const HEADERS = [
  'Content-Security-Policy',
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options',
  'nosniff',
  'Cache-Control',
  'no-store',
]

/** True for a person's browser. MCP clients ask for event streams, and curl accepts anything. */
export function wantsPage({ tenant, request }: TenantExchange, path: string): boolean {
  if (request.method !== 'GET' || (path !== '/mcp' && path !== '/') || tenant.server.forward) return false
  const { accept = '' } = request.headers
  return accept.includes('text/html') && !accept.includes('text/event-stream')
}

/** Tells a person in a browser what this URL is for and how to use it. Lists the tools unless users must sign in. */
export async function sendPage(exchange: TenantExchange): Promise<void> {
  const { tenant } = exchange
  const { name, title = name, version } = tenant.server.info
  const tools = tenant.guard ? undefined : await listTools(exchange)
  const url = originalUrl(exchange)
  const config = JSON.stringify({ mcpServers: { [name]: { type: 'http', url } } }, null, 2)
  const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeText(title)}</title><style>${STYLE}</style></head>
<body><h1>${escapeText(title)}</h1>
<p>This is the URL of an MCP server${version ? ` (version ${escapeText(version)})` : ''}, for AI assistants and other MCP clients.</p>
<h2>Connect a client</h2>
<pre>${escapeText(config)}</pre>
${tools === undefined ? '<p>Users sign in before they can see its tools.</p>' : toolList(tools)}
</body></html>
`
  sendText(exchange, { status: 200, type: 'text/html; charset=utf-8', body: page }, HEADERS)
}

interface ListedTool {
  name: string
  description: string
}

/** First page of the tools. Empty for a program that fails to list them, or lists something else. */
async function listTools({ tenant }: TenantExchange): Promise<ListedTool[]> {
  const context = new RequestContext(undefined, undefined)
  const timer = setTimeout(() => context.cancel(), LIST_TIMEOUT_MS)
  try {
    const { tools } = JSON.parse(`{${await tenant.server.listTools(undefined, context)}}`) as {
      tools: ListedTool[]
    }
    return tools.map(({ name, description = '' }) => ({
      name: String(name),
      description: String(description),
    }))
  } catch {
    return []
  } finally {
    clearTimeout(timer)
  }
}

function toolList(tools: readonly ListedTool[]): string {
  if (tools.length === 0) return ''
  const items = tools.map(
    ({ name, description }) => `<dt><code>${escapeText(name)}</code></dt><dd>${escapeText(description)}</dd>`,
  )
  return `<h2>Tools</h2>\n<dl>\n${items.join('\n')}\n</dl>`
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character]!)
}
