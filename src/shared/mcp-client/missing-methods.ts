import type { JSONRPCErrorResponse, JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

const NOT_FOUND = 404

/**
 * Makes a request fail with the JSON-RPC error in a response with HTTP 404. Since 2026-07-28, servers send such a response
 * for methods that they do not have. The SDK only reads errors from responses with HTTP 400.
 */
export function readMissingMethods(transport: Transport): void {
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    try {
      await send(message, options)
    } catch (error) {
      const answer = answerIn(error, message)
      if (!answer) throw error
      transport.onmessage?.(answer)
    }
  }
}

/** The error for the request. Undefined for other responses, such as that of a web server without an MCP server. */
function answerIn(error: unknown, sent: JSONRPCMessage | JSONRPCMessage[]): JSONRPCErrorResponse | undefined {
  const { status, text } = (error as { data?: { status?: unknown; text?: unknown } }).data ?? {}
  if (status !== NOT_FOUND || typeof text !== 'string') return undefined
  const body = parse(text)
  const isAnswer = [sent].flat().some(one => 'method' in one && 'id' in one && one.id === body?.id)
  return isAnswer && typeof body?.error?.code === 'number' ? (body as JSONRPCErrorResponse) : undefined
}

function parse(text: string): Partial<JSONRPCErrorResponse> | undefined {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}
