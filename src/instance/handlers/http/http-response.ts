import { STATUS_CODES } from 'node:http'
import { parseJson as parseBoundedJson } from '../../http/body.ts'
import { type Answer, jsonAnswer, textAnswer } from '../answer.ts'
import { HandlerError } from '../handler.ts'
import type { HttpRequest } from './http-request.ts'
import { describeTarget } from './http-send.ts'
import type { HttpResponse } from './response-body.ts'

const SHORT_BODY_CHARACTERS = 500

/** The value of `response` in templates. A JSON body is parsed. Any other body is text. */
export function toTemplateValue(response: HttpResponse): object {
  const { status, headers } = response
  return { status, headers, body: isJson(response) ? parseJson(response) : toText(response) }
}

/** Answer from a handler without `result`: the response as the matching kind of content. */
export function toAnswer(response: HttpResponse): Answer {
  const type = mediaType(response)
  if (isJson(response)) return jsonAnswer(parseJson(response))
  const kind = type.split('/', 1)[0]
  if (kind === 'image' || kind === 'audio')
    return { content: [{ type: kind, data: response.body.toString('base64'), mimeType: type }] }
  return textAnswer(toText(response))
}

/** Method, host, status and the start of the body. */
export function describeStatus(request: HttpRequest, response: HttpResponse): string {
  const { status } = response
  const body = toText(response).trim()
  const short = body.length > SHORT_BODY_CHARACTERS ? `${body.slice(0, SHORT_BODY_CHARACTERS)}…` : body
  return (
    `${describeTarget(request)} answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd() +
    (short && `: ${short}`)
  )
}

function isJson(response: HttpResponse): boolean {
  // https://www.rfc-editor.org/rfc/rfc6839#section-3.1
  return response.body.length > 0 && /^application\/(?:[\w.+-]+\+)?json$/.test(mediaType(response))
}

function parseJson({ body }: HttpResponse): unknown {
  try {
    return parseBoundedJson(body.toString())
  } catch {
    throw new HandlerError('the response is declared as JSON, but it is invalid or nested too deeply')
  }
}

function mediaType({ headers }: HttpResponse): string {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
}

function toText({ headers, body }: HttpResponse): string {
  const charset = /charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return body.toString() // unknown encoding
  }
}
