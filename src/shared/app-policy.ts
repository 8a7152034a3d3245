/**
 * Origins that an MCP App may use, by kind (MCP Apps 2026-01-26, `_meta.ui.csp` of its resource): requests, files such as scripts
 * and images, frames inside the app, and base URLs.
 */
export interface AppOrigins {
  connect: readonly string[]
  resource: readonly string[]
  frame: readonly string[]
  base: readonly string[]
}

export const APP_ORIGIN_KINDS = ['connect', 'resource', 'frame', 'base'] as const

/** Maximum number of origins of each kind. One URL contains all of them. */
export const MAX_APP_ORIGINS = 30

/** A public name with TLS. Other origins could be programs on the user's machine or network that trust the user's browser. */
const ORIGIN =
  /^(?:https|wss):\/\/(?:\*\.)?(?:[a-z0-9_-]+\.)+(?!localhost$|local$|internal$)[a-z][a-z0-9-]*$/i

/** Whether an app may use the origin. Wildcards for subdomains, ports and a final slash are allowed. */
export function isAppOrigin(text: string): boolean {
  return text.length <= 300 && ORIGIN.test(text.replace(/\/$/, '').replace(/:\d{1,5}$/, ''))
}

/**
 * Content security policy for the frame of an app. The app is a `srcdoc` document in the page with this policy, and inherits it.
 * `embedder` is the only host whose pages may show the frame.
 */
export function appPolicy({ connect, resource, frame, base }: AppOrigins, embedder: string): string {
  const directives = {
    'default-src': [],
    'script-src': ["'unsafe-inline'", ...resource],
    'style-src': ["'unsafe-inline'", ...resource],
    'img-src': ['data:', 'blob:', ...resource],
    'font-src': ['data:', ...resource],
    'media-src': ['data:', 'blob:', ...resource],
    'connect-src': connect,
    'frame-src': frame,
    'base-uri': base,
    'form-action': [],
    'frame-ancestors': [`http://${embedder}:*`],
  }
  const listed = Object.entries(directives).map(
    ([name, sources]) => `${name} ${sources.length > 0 ? sources.join(' ') : "'none'"}`,
  )
  return listed.join('; ')
}
