import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** `data` of the error that stands for an answer whose stream ended without it. */
const STREAM_CUT = { streamCut: true } as const
const SERVER_ERROR = -32_000

/**
 * The SDK lets a request wait for its time-out whose stream of events ends without an answer, as it does when the
 * server's process ends. From now on such a request fails at once.
 */
export function failCutRequests(transport: Transport): void {
  const send = transport.send.bind(transport)
  transport.send = (message, options) =>
    send(message, { onRequestStreamEnd: () => answerCut(transport, message), ...options })
}

/** For a request that has its answer this is one nobody waits for. */
function answerCut(transport: Transport, message: JSONRPCMessage | JSONRPCMessage[]): void {
  for (const one of Array.isArray(message) ? message : [message])
    if ('method' in one && 'id' in one)
      transport.onmessage?.({
        jsonrpc: '2.0',
        id: one.id,
        error: { code: SERVER_ERROR, message: 'The stream ended without an answer.', data: STREAM_CUT },
      })
}
