import type { IncomingMessage, ServerResponse } from 'node:http'
import { encodeBody } from './encode-body.ts'
import { answerNodeRequest, type FetchComponent, urlOf } from './node.ts'

/** What Express and its body parsers add to a request of Node. */
export type ExpressRequest = IncomingMessage & { body?: unknown; ip?: string }
export type ExpressNext = (error?: unknown) => void

/**
 * Middleware for `app.use(…)`, before or after body parsers: a body that a parser read is written down again. Requests to other
 * addresses go on to what follows. The client's address is `request.ip`, so behind a proxy set Express' `trust proxy`.
 */
export function expressHandler(component: FetchComponent) {
  return (request: ExpressRequest, response: ServerResponse, next: ExpressNext): void => {
    if (!component.has(urlOf(request).pathname)) return next()
    const { readableDidRead, body, headers, ip } = request
    const parsed = readableDidRead ? encodeBody(body, headers['content-type']) : undefined
    answerNodeRequest(component, request, response, { body: parsed, clientAddress: ip }).catch(next)
  }
}
