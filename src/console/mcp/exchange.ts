import { readEvents } from '../../shared/api/event-stream.ts'
import { HostingError } from '../../shared/errors.ts'
import { isDeeper } from '../../shared/json/json-walk.ts'
import { chunksOf } from '../api/chunks.ts'
import { apiError, fetchAnswer } from '../api/client.ts'
import { isObject, type Message, type Params, SignInRequiredError, textOf } from './messages.ts'
import { invalidMessage, streamCut } from './protocol.ts'

/** A larger response is not shown, because it could exhaust the memory of the page. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024
/** Printing deeper JSON would overflow the stack. */
const MAX_DEPTH = 1000
/** A tool is nested in a list, a result and a message. */
const MAX_TOOL_DEPTH = MAX_DEPTH - 3

/** Replaces the schema of a tool that is too deep. */
const DEEP_SCHEMA = {
  type: 'object',
  description: `There is no form for this tool, because its schema is nested deeper than ${MAX_TOOL_DEPTH} levels.`,
}

interface Sent {
  method: 'POST' | 'GET' | 'DELETE'
  /** MCP path of the server on the page's origin. */
  path: string
  headers: Record<string, string>
  message?: Message
  signal: AbortSignal
}

export interface Received {
  status: number
  headers: Headers
  /** Messages in the response, none after a notification. `onId` receives the ids of events. */
  messages(onId?: (id: string) => void): AsyncGenerator<Message>
}

/**
 * Sends a message to the server. Throws SignInRequiredError, and HostingError for requests that the API refuses and
 * responses without a message.
 */
export async function exchange({ method, path, headers, message, signal }: Sent): Promise<Received> {
  const response = await fetchAnswer(method, path, {
    headers: { accept: 'application/json, text/event-stream', ...headers },
    signal,
    ...(message && { body: message }),
  })
  if (!response.ok) return refusal(response, { method, path })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  return {
    status: response.status,
    headers: response.headers,
    messages: onId => (isStream ? readStream(response, signal, onId) : readWhole(response)),
  }
}

/**
 * Returns a JSON-RPC error, which servers send with any status. Throws SignInRequiredError for a 401 of the server, and
 * an API error for any other body, which is from the API or a program in front of the server.
 */
async function refusal(response: Response, sent: { method: string; path: string }): Promise<Received> {
  const text = await readText(response)
  const body = parse(text)
  const isFromApi = isObject(body) && body.success === false
  if (response.status === 401 && !isFromApi) throw new SignInRequiredError('The server requires sign-in.')
  if (!isObject(body) || !isObject(body.error) || isFromApi) throw apiError(response, text, sent)
  return {
    status: response.status,
    headers: response.headers,
    async *messages() {
      yield asMessage(body)
    },
  }
}

async function* readWhole(response: Response): AsyncGenerator<Message> {
  const text = await readText(response)
  if (text === '') return
  const body = parse(text)
  if (!isObject(body)) throw invalidMessage()
  yield asMessage(body)
}

async function* readStream(
  response: Response,
  signal: AbortSignal,
  onId?: (id: string) => void,
): AsyncGenerator<Message> {
  try {
    const events = readEvents<unknown>(chunksOf(response, MAX_RESPONSE_BYTES), onId)
    for await (const message of events) if (isObject(message)) yield asMessage(message)
  } catch (error) {
    if (signal.aborted || error instanceof HostingError) throw error
    throw error instanceof SyntaxError ? invalidMessage() : streamCut()
  }
}

function asMessage(received: Params): Message {
  const body = isDeeper(received, MAX_DEPTH) ? withoutDeepSchemas(received) : received
  if (isDeeper(body, MAX_DEPTH))
    throw invalidMessage(`The message is nested deeper than ${MAX_DEPTH} levels.`)
  const { method, params } = body
  return { ...body, method: textOf(method), params: isObject(params) ? params : undefined } as Message
}

/**
 * Replaces schemas that are too deep, so that one tool does not hide the others in its list. Such a tool can still be called
 * with JSON.
 */
function withoutDeepSchemas(body: Params): Params {
  const { result } = body
  if (!isObject(result) || !Array.isArray(result.tools)) return body
  const tools = result.tools.map(tool =>
    isObject(tool) && isDeeper(tool, MAX_TOOL_DEPTH)
      ? { ...tool, inputSchema: DEEP_SCHEMA, outputSchema: undefined }
      : tool,
  )
  return { ...body, result: { ...result, tools } }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of chunksOf(response, MAX_RESPONSE_BYTES))
    text += decoder.decode(chunk, { stream: true })
  return text + decoder.decode()
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
