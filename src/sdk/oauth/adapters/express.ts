import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeBody } from './encode-body.ts'
import { answerNodeRequest, type FetchComponent, urlOf } from './node.ts'

/** Node's request with the additions of Express and its body parsers. */
export type ExpressRequest = IncomingMessage & { body?: unknown; ip?: string }
export type ExpressNext = (error?: unknown) => void

/**
 * Middleware for `app.use(…)`, before or after body parsers. Passes requests for other paths to the next handler. The client's
 * address is `request.ip`. Set Express's `trust proxy` behind a proxy.
 */
export function expressHandler(component: FetchComponent) {
  return (request: ExpressRequest, response: ServerResponse, next: ExpressNext): void => {
    if (!component.has(urlOf(request).pathname)) return next()
    const { readableDidRead, body, headers, ip } = request
    const parsed = readableDidRead ? encodeBody(body, headers['content-type']) : undefined
    answerNodeRequest(component, request, response, { body: parsed, clientAddress: ip }).catch(next)
  }
}
