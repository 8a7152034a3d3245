import { OAuthError } from '../oauth-error.ts'
import { type Parameters, readParameters } from '../rules/parameters.ts'

const MAX_FORM_BYTES = 64 * 1024

/** Reads a form (RFC 6749 3.2). Throws OAuthError 400 for another media type, and 413 for more than `maxBytes`. */
export async function readForm(request: Request, maxBytes = MAX_FORM_BYTES): Promise<Parameters> {
  requireMediaType(request, 'application/x-www-form-urlencoded')
  return readParameters(new URLSearchParams(await readText(request, maxBytes)))
}

/** Reads a JSON object (RFC 7591 3.1). Throws OAuthError 400 for anything else, and 413 for more than `maxBytes`. */
export async function readJsonObject(request: Request, maxBytes: number): Promise<Record<string, unknown>> {
  requireMediaType(request, 'application/json')
  const value = parseJson(await readText(request, maxBytes))
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw new OAuthError('invalid_request', 'The body must be a JSON object.')
}

/** Reads a body. Throws OAuthError 413 for more than `maxBytes`. */
export async function readText(message: Request | Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of message.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) {
      throw new OAuthError('invalid_request', `The body is longer than ${maxBytes} bytes.`, { status: 413 })
    }
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function requireMediaType(request: Request, expected: string): void {
  const mediaType = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  if (mediaType === expected) return
  throw new OAuthError('invalid_request', `The Content-Type must be ${expected}.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new OAuthError('invalid_request', 'The body is not valid JSON.', { cause })
  }
}
