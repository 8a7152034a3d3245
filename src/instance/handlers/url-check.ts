import { HandlerError } from './handler.ts'
import type { Templates } from './load.ts'
import type { TextTemplate } from './rendering.ts'
import type { Scope } from './scope.ts'

/** Gives the rendered URL parsed, or throws a HandlerError. */
export type UrlCheck = (rendered: string, scope: Scope) => URL

const OUTPUT_OR_TAG = /\{\{.*?\}\}|\{%.*?%\}/gs
/** Also with separators that are only decoded behind the first server. */
const DOT_SEGMENT = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=[/\\;]|%2f|%5c|%3b|$)/i

/**
 * Arguments come from whoever calls the tool, the URL's template from its author: a value may fill in the part it stands
 * in, but neither lead to another host nor climb out of the path.
 */
export function createUrlCheck(source: string, template: TextTemplate, templates: Templates): UrlCheck {
  const staysAtHost = compileHostRule(source, template, templates)
  return (rendered, scope) => {
    const url = parseHttpUrl(rendered.trim())
    if (!staysAtHost(url, scope))
      throw new HandlerError('the arguments would send the request to another host than the tool is made for')
    if (DOT_SEGMENT.test(pathOf(rendered)) && !DOT_SEGMENT.test(pathOf(source)))
      throw new HandlerError('the arguments would lead out of the path that the tool is made for')
    return url
  }
}

function parseHttpUrl(text: string): URL {
  const url = URL.parse(text)
  if (!url)
    throw new HandlerError(
      'the URL it would call is not valid; the arguments or the environment are incomplete',
    )
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new HandlerError(`it can only call http and https URLs, not ${url.protocol}`)
  return url
}

type HostRule = (url: URL, scope: Scope) => boolean

function compileHostRule(source: string, template: TextTemplate, templates: Templates): HostRule {
  const start = source.trimStart()
  // The whole address comes from the caller: that is what such a tool is for.
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

/** An argument within the host stands for part of a label, or for the path from there on. */
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
    // A port that is the scheme's own is not kept in the URL, but may stand in the template.
    const withPort = url.port ? url.host : `${url.host}:${url.protocol === 'https:' ? 443 : 80}`
    return whole.test(user + url.host) || whole.test(user + withPort)
  }
}

/** Right behind a name with its domain only a path can be meant: "munity" would make another one of `api.example.com`. */
function endsHost(before: string, after: string): boolean {
  const isLast = after.replace(OUTPUT_OR_TAG, '') === ''
  return isLast && /[^.:-]$/.test(before) && /\.|\}$/.test(before)
}

function firstOutput(source: string): string {
  return source.match(OUTPUT_OR_TAG)?.[0] ?? ''
}

/** Filters that leave a value fit for a URL, or that say it is one already. */
const ENCODES = /\|\s*(?:url_encode|cgi_escape|uri_escape|slugify|raw)\b/

/**
 * Percent-encodes what callers fill in from the path on (RFC 3986 2.1), so that a "?", "&" or "/" in a value stays part of
 * it; `| raw` takes a value as it is. What stands before the path is left to the check.
 */
export function encodeCallerValues(source: string): string {
  const [authority = ''] = /^\s*(?:[a-z][a-z0-9+.-]*:\/\/)?/i.exec(source) ?? []
  let inPath = false
  const parts = source.slice(authority.length).split(/(\{\{.*?\}\}|\{%.*?%\})/s)
  const encoded = parts.map(part => {
    if (!/^\{[{%]/.test(part)) inPath ||= /[/?]/.test(part)
    else if (inPath && part.startsWith('{{') && isFilledInByCaller(part) && !ENCODES.test(part))
      return part.replace(/(-?\}\})$/, ' | url_encode | replace: "+", "%20" $1')
    return part
  })
  return authority + encoded.join('')
}

/** `env` and `data` are the author's and the owner's. */
function isFilledInByCaller(output: string): boolean {
  return !/^\{\{-?\s*(?:env|data)[.[]/.test(output)
}

function pathOf(url: string): string {
  return url.split(/[?#]/, 1)[0]!
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
