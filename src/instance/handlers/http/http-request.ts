import type { HttpHandler } from '../../../shared/definitions/definitions.ts'
import { HandlerError } from '../handler.ts'
import type { Templates } from '../load.ts'
import type { Rendering, TextTemplate } from '../templates/rendering.ts'
import type { Scope } from '../templates/scope.ts'
import { createUrlCheck, encodeCallerValues } from './url-check.ts'

export interface HttpRequest {
  method: HttpHandler['method']
  url: URL
  headers: Record<string, string>
  body: string | undefined
}

/** The returned function throws a HandlerError when the arguments produce a request that must not be sent. */
export function compileHttpRequest(
  definition: HttpHandler,
  templates: Templates,
): (scope: Scope) => HttpRequest {
  const url = templates.compileText(encodeCallerValues(definition.url))
  const checkUrl = createUrlCheck(definition.url, url, templates)
  const query = compileRecord(definition.query, templates)
  const headers = compileRecord(definition.headers, templates)
  const body = definition.body === undefined ? undefined : templates.compileJson(definition.body)
  return scope => {
    const rendering = new templates.Rendering(scope)
    const target = checkUrl(url(rendering), scope)
    for (const [name, value] of query) addParameter(target, name, value(rendering))
    const sent = body && toBody(body(rendering))
    return {
      method: definition.method,
      url: target,
      headers: renderHeaders(headers, rendering, sent?.type),
      body: sent?.text,
    }
  }
}

type CompiledRecord = (readonly [name: string, value: TextTemplate])[]

function compileRecord(source: Record<string, string> | undefined, templates: Templates): CompiledRecord {
  return Object.entries(source ?? {}).map(([name, value]) => [name, templates.compileText(value)] as const)
}

function addParameter(url: URL, name: string, value: string): void {
  if (value !== '') url.searchParams.append(name, value)
}

/** Renders the headers. Omits headers with an empty value. */
function renderHeaders(
  headers: CompiledRecord,
  rendering: Rendering,
  contentType: string | undefined,
): Record<string, string> {
  // The size of compressed responses is unknown until they are unpacked.
  const all: Record<string, string> = { accept: 'application/json, */*;q=0.8', 'accept-encoding': 'identity' }
  if (contentType) all['content-type'] = contentType
  for (const [name, template] of headers) {
    const value = template(rendering).trim()
    // RFC 9110 5.5: a line break would start a header that the caller controls.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new HandlerError(`the arguments contain characters that the header "${name}" must not contain`)
    if (value !== '') all[name.toLowerCase()] = value
  }
  return all
}

function toBody(value: unknown): { text: string; type: string } {
  if (typeof value === 'string') return { text: value, type: 'text/plain; charset=utf-8' }
  return { text: JSON.stringify(value ?? null), type: 'application/json' }
}
