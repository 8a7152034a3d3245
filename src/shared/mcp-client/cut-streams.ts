import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** `data` of the error for a request whose stream ended without a response. */
const STREAM_CUT = { streamCut: true } as const
const SERVER_ERROR = -32_000

/**
 * Makes a request fail immediately when its event stream ends without a response, for example because the server crashed.
 * The SDK would wait for the timeout.
 */
export function failCutRequests(transport: Transport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    send(message, { onRequestStreamEnd: () => answerCut(transport, message), ...options })
}

/** Answers requests with an error, which the client ignores if it already has the response. */
function answerCut(transport: Transport, message: JSONRPCMessage | JSONRPCMessage[]): void {
  for (const one of Array.isArray(message) ? message : [message])
    if ('method' in one && 'id' in one)
      transport.onmessage?.({
        jsonrpc: '2.0',
        id: one.id,
        error: { code: SERVER_ERROR, message: 'The stream ended without a response.', data: STREAM_CUT },
      })
}
