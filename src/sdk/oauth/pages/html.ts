import { createHash } from 'node:crypto'

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0;display:grid;min-height:100vh;place-items:center;padding:1rem;box-sizing:border-box}
main{max-width:30rem;width:100%}
h1{font-size:1.4rem}
dl{border:1px solid #8886;border-radius:.5rem;padding:.25rem 1rem}
dt{font-size:.85rem;margin-top:.6rem}dd{margin:0 0 .6rem;overflow-wrap:anywhere;font-weight:600}
.warning{border-left:.3rem solid #c60;padding-left:.8rem}
form{display:flex;flex-wrap:wrap;gap:.6rem}
button{font:inherit;padding:.6rem 1.2rem;border-radius:.5rem;border:1px solid #8888;cursor:pointer}
button.allow{background:#0b57d0;color:#fff;border-color:#0b57d0}
`

/**
 * Only the style sheet is allowed, and other sites may not frame the page (MCP security best practices, "Confused Deputy"; RFC
 * 9700 4.16). `form-action` is not set, because browsers also apply it to the redirects after the form, to the identity provider
 * and the client (https://www.w3.org/TR/CSP3/#directive-form-action). `Cross-Origin-Opener-Policy` is not set, because clients in
 * browsers open the page in a window that must be able to reach them.
 */
const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With no-referrer, browsers would send `Origin: null` with the form
  // (https://fetch.spec.whatwg.org/#append-a-request-origin-header), as with forms from other sites.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

/** Safe markup. */
export interface Html {
  markup: string
}

type Part = string | Html | undefined | Part[]

/** Template literal that escapes its values, except for markup from this function. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return { markup: strings.reduce((markup, text, index) => markup + render(parts[index - 1]) + text) }
}

export function pageResponse(
  title: string,
  body: Html,
  init: { status?: number; cookies?: string[]; headers?: Record<string, string> } = {},
): Response {
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${{ markup: STYLE }}</style></head>
<body><main>${body}</main></body></html>
`
  const headers = new Headers({ ...HEADERS, ...init.headers })
  for (const cookie of init.cookies ?? []) headers.append('Set-Cookie', cookie)
  return new Response(page.markup, { status: init.status ?? 200, headers })
}

function render(part: Part): string {
  if (part === undefined) return ''
  if (Array.isArray(part)) return part.map(render).join('')
  return typeof part === 'string' ? escapeText(part) : part.markup
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
