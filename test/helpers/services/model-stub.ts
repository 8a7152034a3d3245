import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeServer } from './sdk-server.ts'
import { anthropicStream, chatCompletionsStream, type ModelTurn, openAiStream } from './vendor-streams.ts'

export type Wire = 'anthropic' | 'openai' | 'compatible'

/** Behaviour for a request: a reply, a rejection, a broken stream, an error in the stream, or no answer. */
export type Turn =
  | ModelTurn
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | { cutAfter: number; turn: ModelTurn }
  | { endAfter: number; turn: ModelTurn }
  | { streamError: unknown; turn: ModelTurn }
  | { silent: true }

export interface ModelStub {
  /** Base URL for the vendor's SDKs. */
  url: string
  requests: {
    path: string
    headers: Record<string, unknown>
    body: Record<string, unknown>
    /** True when the connection closed before the whole answer was sent. */
    aborted: boolean
  }[]
  close(): Promise<void>
}

const STREAM_OF = { anthropic: anthropicStream, openai: openAiStream, compatible: chatCompletionsStream }
const PATH_OF = { anthropic: '/v1/messages', openai: '/v1/responses', compatible: '/v1/chat/completions' }

/** Starts a vendor's API that replays these turns in order. The last one repeats. */
export async function startModelStub(
  wire: Wire,
  turns: (Turn | ((body: Record<string, unknown>) => Turn))[],
): Promise<ModelStub> {
  const requests: ModelStub['requests'] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString() || '{}')
    const entry = { path: request.url!, headers: request.headers, body, aborted: false }
    response.on('close', () => (entry.aborted = !response.writableFinished))
    requests.push(entry)
    if (request.url !== PATH_OF[wire]) return response.writeHead(404).end('{}')
    const turn = turns[Math.min(requests.length, turns.length) - 1]!
    play(response, wire, typeof turn === 'function' ? turn(body) : turn, requests.length)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/v1`, requests, close: () => closeServer(server) }
}

function play(response: ServerResponse, wire: Wire, turn: Turn, number: number): void {
  if ('silent' in turn) return
  if ('status' in turn) {
    response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers })
    response.end(JSON.stringify(turn.body ?? errorBody(wire, 'refused by the stub')))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const events = STREAM_OF[wire]('turn' in turn ? turn.turn : turn, number)
  if ('cutAfter' in turn) {
    response.write(events.slice(0, turn.cutAfter).join(''), () => response.destroy())
  } else if ('endAfter' in turn) response.end(events.slice(0, turn.endAfter).join(''))
  else if ('streamError' in turn) {
    response.write(events[0]!)
    response.end(`event: error\ndata: ${JSON.stringify(turn.streamError)}\n\n`)
  } else response.end(events.join(''))
}

export function errorBody(wire: Wire, message: string, type = 'api_error'): unknown {
  return wire === 'anthropic'
    ? { type: 'error', error: { type, message } }
    : { error: { type, message, code: null, param: null } }
}
