import type { IncomingMessage } from 'node:http'

export const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Deeper values would overflow the stack of validators, templates and JSON.stringify. */
const MAX_DEPTH = 256

/** Reads a request's body as text. Calls exactly one of the callbacks, or none when the client disconnects. */
export function readBody(
  request: IncomingMessage,
  onText: (text: string) => void,
  onTooLarge: () => void,
): void {
  const length = Number(request.headers['content-length'])
  if (length > MAX_BODY_BYTES) return onTooLarge()
  // A small body arrives in one piece with its head. Reading it in the next tick avoids stream events, the last of which
  // the parser emits one turn later.
  process.nextTick(() => {
    const chunk: Buffer | null = request.readableLength === length ? request.read() : null
    if (chunk) onText(chunk.toString())
    else gather(request, onText, onTooLarge)
  })
}

function gather(request: IncomingMessage, onText: (text: string) => void, onTooLarge: () => void): void {
  let only: Buffer | undefined
  let chunks: Buffer[] | undefined
  let bytes = 0
  let isOver = false
  request.on('data', (chunk: Buffer) => {
    if (isOver) return
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) {
      isOver = true
      chunks = undefined
      return onTooLarge()
    }
    if (only === undefined) only = chunk
    else if (chunks) chunks.push(chunk)
    else chunks = [only, chunk]
  })
  // The rest of a refused body is read and dropped, so that the client gets the response instead of a connection reset.
  request.on('end', () => {
    if (!isOver) onText((chunks ? Buffer.concat(chunks) : (only ?? '')).toString())
  })
}

/** Parses JSON of limited depth. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`the JSON is nested deeper than ${MAX_DEPTH} levels`)
  return JSON.parse(text)
}

function isTooDeep(text: string): boolean {
  // Every level takes two characters, so most bodies need no check.
  if (text.length < MAX_DEPTH * 2) return false
  let depth = 0
  let inString = false
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (inString) {
      if (code === BACKSLASH) index++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) inString = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
