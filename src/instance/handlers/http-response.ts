import { STATUS_CODES } from 'node:http'
import { parseJson as parseBoundedJson } from '../http/body.ts'
import { type Answer, jsonAnswer, textAnswer } from './answer.ts'
import { HandlerError } from './handler.ts'
import type { HttpRequest } from './http-request.ts'
import { describeTarget } from './http-send.ts'
import type { HttpResponse } from './response-body.ts'

const SHORT_BODY_CHARACTERS = 500

/** `response` in templates: a JSON body as its value, anything else as text. */
export function toTemplateValue(response: HttpResponse): object {
  const { status, headers } = response
  return { status, headers, body: isJson(response) ? parseJson(response) : toText(response) }
}

/** The answer of a handler without `result`: what came back, in the kind of content that fits it. */
export function toAnswer(response: HttpResponse): Answer {
  const type = mediaType(response)
  if (isJson(response)) return jsonAnswer(parseJson(response))
  const kind = type.split('/', 1)[0]
  if (kind === 'image' || kind === 'audio')
    return { content: [{ type: kind, data: response.body.toString('base64'), mimeType: type }] }
  return textAnswer(toText(response))
}

/** The status and the beginning of what came with it. */
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
    throw new HandlerError(
      'the answer says that it is JSON, but it cannot be read as JSON or is nested too deeply',
    )
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
    return body.toString() // an encoding that does not exist
  }
}
