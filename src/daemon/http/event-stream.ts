import type { Reply } from './endpoint.ts'

const KEEP_ALIVE_MS = 15_000

type Events = Extract<Reply, { events: unknown } | { resumable: unknown }>

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), one JSON document each. */
export function eventStream(events: Events, headers: Headers): Response {
  headers.set('Content-Type', 'text/event-stream')
  headers.set('Cache-Control', 'no-store')
  headers.set('X-Accel-Buffering', 'no')
  const iterator = blocksOf(events)
  let keepAlive: NodeJS.Timeout | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Without content before the first event, a proxy would hold back the headers.
      controller.enqueue(encode(': following\n\n'))
      keepAlive = setInterval(() => {
        // Skipped while the client does not read, and after the stream has ended, when it would throw an uncaught error.
        if (Number(controller.desiredSize) > 0) controller.enqueue(encode(': \n\n'))
      }, KEEP_ALIVE_MS)
      keepAlive.unref()
    },
    async pull(controller) {
      try {
        const { value, done } = await iterator.next()
        if (!done) return controller.enqueue(encode(value))
        clearInterval(keepAlive)
        controller.close()
      } catch (error) {
        clearInterval(keepAlive)
        throw error
      }
    },
    async cancel() {
      clearInterval(keepAlive)
      await iterator.return(undefined)
    },
  })
  return new Response(body, { status: events.status, headers })
}

async function* blocksOf(reply: Events): AsyncGenerator<string, void> {
  if ('events' in reply) for await (const data of reply.events) yield blockOf(undefined, data)
  else for await (const { id, data } of reply.resumable) yield blockOf(id, data)
}

function blockOf(id: string | undefined, data: unknown): string {
  return `data: ${JSON.stringify(data)}\n${id === undefined ? '' : `id: ${id}\n`}\n`
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
