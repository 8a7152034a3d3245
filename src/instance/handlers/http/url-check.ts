import { HandlerError } from '../handler.ts'
import type { Templates } from '../load.ts'
import type { TextTemplate } from '../templates/rendering.ts'
import type { Scope } from '../templates/scope.ts'

/** Parses and checks the rendered URL. Throws HandlerError if it is invalid or the arguments changed its host or left its path. */
export type UrlCheck = (rendered: string, scope: Scope) => URL

const OUTPUT_OR_TAG = /\{\{.*?\}\}|\{%.*?%\}/gs
/** Includes encoded separators, which a proxy may decode. */
const DOT_SEGMENT = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=[/\\;]|%2f|%5c|%3b|$)/i

/**
 * Creates the check for a URL. Arguments come from the caller, but the URL's template comes from its author. A value may fill in
 * its part of the URL, but must not change the host or leave the path.
 */
export function createUrlCheck(source: string, template: TextTemplate, templates: Templates): UrlCheck {
  const staysAtHost = compileHostRule(source, template, templates)
  return (rendered, scope) => {
    const url = parseHttpUrl(rendered.trim())
    if (!staysAtHost(url, scope)) throw new HandlerError('the arguments would change the host of the request')
    if (DOT_SEGMENT.test(pathOf(rendered)) && !DOT_SEGMENT.test(pathOf(source)))
      throw new HandlerError('the arguments would lead outside the path of the URL template')
    return url
  }
}

function parseHttpUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url)
    throw new HandlerError('the request URL is not valid. Check the arguments and the environment variables.')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new HandlerError(`only http and https URLs are supported, not ${url.protocol}`)
  return url
}

type HostRule = (url: URL, scope: Scope) => boolean

function compileHostRule(source: string, template: TextTemplate, templates: Templates): HostRule {
  const start = source.trimStart()
  // The caller provides the whole URL, which is the purpose of such a tool.
  if (/^(?:\{\{|\{%)/.test(start) && isFilledInByCaller(firstOutput(start))) return () => true
  const authority = /^[a-z][a-z0-9+.-]*:\/\/((?:\{\{.*?\}\}|\{%.*?%\}|[^/?#{])*)/is.exec(start)?.[1]
  const outputs = authority?.match(OUTPUT_OR_TAG) ?? []
  if (authority !== undefined && outputs.some(isFilledInByCaller)) return patternRule(authority, templates)
  let own: URL | null | undefined
  return (url, { data, env }) => {
    // `data` and `env` are the same for every call.
    own ??= URL.parse(template(new templates.Rendering({ args: {}, context: {}, data, env })).trim())
    return own?.origin === url.origin && own.username === url.username && own.password === url.password
  }
}

/** Rule for a host with arguments. An argument may be part of a label, or the start of the path. */
function patternRule(authority: string, templates: Templates): HostRule {
  const compiled = authority.split(/(\{\{.*?\}\}|\{%.*?%\})/s).map((part, index, parts) => {
    const isOwn = !part.startsWith('{') || !isFilledInByCaller(part)
    if (isOwn) return templates.compileText(part)
    const [before, after] = [parts.slice(0, index).join(''), parts.slice(index + 1).join('')]
    return endsHost(before, after) ? '' : '[a-z0-9-]*'
  })
  let whole: RegExp | undefined
  return (url, { data, env }) => {
    // `data` and `env` are the same for every call.
    const own = new templates.Rendering({ args: {}, context: {}, data, env })
    whole ??= new RegExp(
      `^${compiled.map(part => (typeof part === 'string' ? part : escapePattern(part(own)))).join('')}$`,
      'is',
    )
    const user = url.username || url.password ? `${url.username}:${url.password}@` : ''
    // A URL drops its scheme's default port, but the template may contain it.
    const withPort = url.port ? url.host : `${url.host}:${url.protocol === 'https:' ? 443 : 80}`
    return whole.test(user + url.host) || whole.test(user + withPort)
  }
}

/** True after a complete domain, which only a path may follow. "munity" would turn `api.example.com` into another host. */
function endsHost(before: string, after: string): boolean {
  const isLast = after.replace(OUTPUT_OR_TAG, '') === ''
  return isLast && /[^.:-]$/.test(before) && /\.|\}$/.test(before)
}

function firstOutput(source: string): string {
  return source.match(OUTPUT_OR_TAG)?.[0] ?? ''
}

/** Filters that make a value safe for a URL, or declare that it is. */
const ENCODING_FILTERS = /\|\s*(?:url_encode|cgi_escape|uri_escape|slugify|raw)\b/

/**
 * Percent-encodes the caller's values in the path and query (RFC 3986 2.1), so that "?", "&" and "/" stay part of a value.
 * `| raw` disables this. The URL check covers the part before the path.
 */
export function encodeCallerValues(source: string): string {
  const [authority = ''] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?/i.exec(source) ?? []
  let inPath = false
  const parts = source.slice(authority.length).split(/(\{\{.*?\}\}|\{%.*?%\})/s)
  const encoded = parts.map(part => {
    if (!/^\{[{%]/.test(part)) inPath ||= /[/?]/.test(part)
    else if (inPath && part.startsWith('{{') && isFilledInByCaller(part) && !ENCODING_FILTERS.test(part))
      return part.replace(/(-?\}\})$/, ' | url_encode | replace: "+", "%20" $1')
    return part
  })
  return authority + encoded.join('')
}

/** False for `env` and `data`, which belong to the owner and the author. */
function isFilledInByCaller(output: string): boolean {
  return !/^\{\{-?\s*(?:env|data)[.[]/.test(output)
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0]!
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
