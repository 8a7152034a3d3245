import { createHash } from 'node:crypto'
import { HostingError } from '../../../shared/errors.ts'
import type { ApiContext } from '../endpoint.ts'

const BODY_LIMIT_BYTES = 1024 * 1024

/** Protects recursive validators. Real documents are never nested this deeply. */
const DEPTH_LIMIT = 200

/**
 * Reads the JSON body. Undefined if there is none. Throws PAYLOAD_TOO_LARGE (1 MiB), UNSUPPORTED_MEDIA_TYPE, and INVALID_JSON
 * with the position of a syntax error.
 */
export async function readJsonBody(context: ApiContext): Promise<unknown> {
  const bytes = await readBytes(context)
  if (context.req.header('idempotency-key') !== undefined)
    context.set('bodyDigest', createHash('sha256').update(bytes).digest('hex'))
  if (bytes.length === 0) return undefined
  const type = context.req.header('content-type') ?? ''
  if (!/^application\/(json|[\w.-]+\+json)\s*(;|$)/i.test(type))
    throw new HostingError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The Content-Type is ${type ? `"${type}"` : 'missing'}. Send the body as application/json.`,
    )
  return parseJson(decodeText(bytes))
}

async function readBytes(context: ApiContext): Promise<Buffer> {
  if (Number(context.req.header('content-length') ?? 0) > BODY_LIMIT_BYTES) throw tooLarge()
  const stream = context.req.raw.body
  if (!stream) return Buffer.alloc(0)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > BODY_LIMIT_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): HostingError {
  return new HostingError(
    'PAYLOAD_TOO_LARGE',
    `The body is larger than ${BODY_LIMIT_BYTES} bytes (1 MiB), the limit for JSON requests.`,
  )
}

function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new HostingError('INVALID_JSON', 'The body is not UTF-8 text.', { cause })
  }
}

async function parseJson(text: string): Promise<unknown> {
  if (isTooDeep(text))
    throw new HostingError('INVALID_JSON', `The body is nested deeper than ${DEPTH_LIMIT} levels.`)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new HostingError('INVALID_JSON', 'The body is not valid JSON.', {
      details: await describeSyntaxError(text, (error as Error).message),
      cause: error,
    })
  }
}

/** For example `line 3, column 7: Unexpected token '}'`. Omits the body, which may contain secrets. */
async function describeSyntaxError(text: string, message: string): Promise<string> {
  const before = text.slice(0, await findErrorPosition(text, message)).split('\n')
  const reason = message
    .replace(/ in JSON at position.*$/s, '')
    .replace(/, (\.\.\.)?".*is not valid JSON$/s, '')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}: ${reason}`
}

/** Position of a syntax error. V8 reports it for only some errors, and a tolerant parser finds the rest. */
async function findErrorPosition(text: string, message: string): Promise<number> {
  const reported = / at position (\d+)/.exec(message)
  if (reported) return Number(reported[1])
  const { parse } = await import('jsonc-parser')
  const errors: { offset: number }[] = []
  parse(text, errors as never, { disallowComments: true, allowTrailingComma: false })
  return errors[0]?.offset ?? text.length
}

/** Counts brackets outside strings. */
function isTooDeep(text: string): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > DEPTH_LIMIT) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
