import { HostingError } from '../../shared/errors.ts'
import { encodeHeaderValue, META, MODERN_REVISIONS } from '../../shared/modern-envelope.ts'
import { exchange } from './exchange.ts'
import { isObject, type McpRequest, type Params, textOf } from './messages.ts'
import {
  authorization,
  CAPABILITIES,
  CLIENT,
  type Endpoint,
  isAnswer,
  QUESTIONS,
  resultOf,
  streamCut,
} from './protocol.ts'

/** A server could ask forever. */
const MAX_ROUNDS = 50

let lastId = 0

/**
 * Sends one request with protocol version 2026-07-28. Answers the questions that the server asks before it returns the
 * result.
 */
export async function requestModern(endpoint: Endpoint, request: McpRequest): Promise<Params> {
  let params = request.params
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { resultType, ...result } = await attempt(endpoint, { ...request, ...(params && { params }) })
    if (resultType !== 'input_required') return result
    const { inputRequests, requestState } = result
    params = {
      ...request.params,
      ...(isObject(inputRequests) && { inputResponses: await answerAll(inputRequests, request) }),
      ...(requestState !== undefined && { requestState }),
    }
  }
  throw new HostingError(
    'UPSTREAM_FAILED',
    `The server asked questions ${MAX_ROUNDS} times without returning a result.`,
  )
}

/** Asks one question after the other, because one person answers all of them. */
async function answerAll(questions: Params, { onQuestion }: McpRequest): Promise<Params> {
  const answers: Params = {}
  for (const [key, question] of Object.entries(questions)) {
    if (!onQuestion || !isObject(question)) continue
    const params = isObject(question.params) ? question.params : {}
    answers[key] = await onQuestion({ method: textOf(question.method) ?? '', params })
  }
  return answers
}

async function attempt(endpoint: Endpoint, request: McpRequest): Promise<Params> {
  const id = ++lastId
  const { messages } = await exchange({
    method: 'POST',
    path: endpoint.path,
    headers: { ...headersOf(request), ...authorization(endpoint) },
    message: {
      jsonrpc: '2.0',
      id,
      method: request.method,
      params: { ...request.params, _meta: envelope(id, request) },
    },
    signal: request.signal,
  })
  for await (const message of messages()) {
    if (isAnswer(message, id)) return resultOf(message)
    if (message.method && message.id === undefined)
      request.onNotification?.(message.method, message.params ?? {})
  }
  throw streamCut()
}

function headersOf({ method, about, headers }: McpRequest): Record<string, string> {
  return {
    'mcp-protocol-version': MODERN_REVISIONS[0],
    'mcp-method': method,
    ...(about !== undefined && { 'mcp-name': encodeHeaderValue(about) }),
    ...headers,
  }
}

function envelope(id: number, { onNotification, onQuestion }: McpRequest): Params {
  return {
    [META.protocolVersion]: MODERN_REVISIONS[0],
    [META.clientCapabilities]: { ...CAPABILITIES, ...(onQuestion && QUESTIONS) },
    [META.clientInfo]: CLIENT,
    ...(onNotification && { [META.logLevel]: 'debug', progressToken: id }),
  }
}
