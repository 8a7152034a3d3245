import type { IncomingMessage, ServerResponse } from 'node:http'
import { answerNodeRequest, type FetchComponent, urlOf } from './node.ts'

/** What Express' body parsers add to a request of Node. */
export type ExpressRequest = IncomingMessage & { body?: unknown; ip?: string }
export type ExpressNext = (error?: unknown) => void

/**
 * Middleware for `app.use(…)`, before or after body parsers: a body that a parser read is written down again. Requests to other
 * addresses go on to what follows.
 */
export function expressHandler(component: FetchComponent) {
  return (request: ExpressRequest, response: ServerResponse, next: ExpressNext): void => {
    if (!component.has(urlOf(request).pathname)) return next()
    answerNodeRequest(component, request, response, parsedBody(request)).catch(next)
  }
}

/**
 * The body as it came, from what a parser made of it; undefined when nobody has read it. A parameter that came twice, which a
 * parser made an array, comes twice again: that it did is an error for the component to find.
 */
export function parsedBody({ readableDidRead, body, headers }: ExpressRequest): string | undefined {
  if (!readableDidRead) return undefined
  if (body === undefined || body === null) return ''
  if (typeof body === 'string') return body
  if (Buffer.isBuffer(body)) return body.toString()
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return JSON.stringify(body)
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) {
    for (const single of [value].flat()) form.append(name, String(single))
  }
  return form.toString()
}
