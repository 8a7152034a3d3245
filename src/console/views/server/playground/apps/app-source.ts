import {
  APP_ORIGIN_KINDS,
  type AppOrigins,
  isAppOrigin,
  MAX_APP_ORIGINS,
} from '../../../../../shared/app-policy.ts'
import { HostingError } from '../../../../../shared/errors.ts'
import { isObject, type Params } from '../../../../mcp/messages.ts'
import { APP_TYPE } from '../../../../mcp/protocol.ts'
import type { Connected } from '../playground.ts'
import { uiMeta } from './app-tool.ts'

const MAX_HTML_CHARACTERS = 5_000_000

/** An app as its server declares it. */
export interface AppSource {
  html: string
  origins: AppOrigins
  /** Declared origins that an app must not use. */
  refused: readonly string[]
}

/** Reads the resource of an app. Throws UPSTREAM_FAILED for a resource that is not an app, and request errors. */
export async function loadApp(
  { connection, catalog }: Connected,
  uri: string,
  signal: AbortSignal,
): Promise<AppSource> {
  const sent = { method: 'resources/read', params: { uri }, about: uri, signal }
  const { contents } = await connection.request(sent)
  const [content] = Array.isArray(contents) ? contents.filter(isObject) : []
  if (!content) throw unusable(uri, 'is empty')
  const html = htmlOf(content, uri)
  const listed = catalog.entries.find(({ kind, id }) => kind === 'resource' && id === uri)
  return { html, ...originsOf(uiMeta(content).csp ?? uiMeta(listed?.source ?? {}).csp) }
}

function htmlOf({ mimeType, text, blob }: Params, uri: string): string {
  if (String(mimeType).toLowerCase().replaceAll(/\s/g, '') !== APP_TYPE)
    throw unusable(uri, `has the type ${String(mimeType)}, not ${APP_TYPE}`)
  const html = typeof text === 'string' ? text : decode(blob, uri)
  if (html.length > MAX_HTML_CHARACTERS)
    throw unusable(uri, `has ${html.length} characters, the limit is ${MAX_HTML_CHARACTERS}`)
  return html
}

function decode(blob: unknown, uri: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(String(blob)), one => one.charCodeAt(0)))
  } catch {
    throw unusable(uri, 'has neither text nor Base64')
  }
}

function unusable(uri: string, fault: string): HostingError {
  return new HostingError('UPSTREAM_FAILED', `The app cannot be shown. The resource ${uri} ${fault}.`)
}

/** Origins in `_meta.ui.csp`. */
function originsOf(csp: unknown): Pick<AppSource, 'origins' | 'refused'> {
  const declared = APP_ORIGIN_KINDS.map(kind => [kind, textsOf(isObject(csp) && csp[MEMBERS[kind]])] as const)
  const allowed = declared.map(
    ([kind, all]) => [kind, all.filter(isAppOrigin).slice(0, MAX_APP_ORIGINS)] as const,
  )
  const used = new Set(allowed.flatMap(([, all]) => all))
  return {
    origins: Object.fromEntries(allowed) as unknown as AppOrigins,
    refused: declared.flatMap(([, all]) => all.filter(one => !used.has(one))),
  }
}

const MEMBERS = {
  connect: 'connectDomains',
  resource: 'resourceDomains',
  frame: 'frameDomains',
  base: 'baseUriDomains',
} as const

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(one => typeof one === 'string') : []
}
