import { get, type IncomingMessage } from 'node:http'
import { readEvents } from '../../../src/shared/api/event-stream.ts'
import type { FeedEvent } from '../../../src/shared/contract/monitoring/events.ts'
import type { TestDaemon } from './daemon.ts'

/** The open feed of a daemon. */
export interface OpenFeed {
  /** Id of the last event. */
  readonly id: string | undefined
  next(): Promise<FeedEvent>
  /** Reads events up to and including the first that matches. */
  until(matches: (event: FeedEvent) => boolean): Promise<FeedEvent[]>
  /** Reads events until the daemon ends the stream. */
  ended(): Promise<FeedEvent[]>
  close(): void
}

export async function openFeed(
  daemon: TestDaemon,
  query = '',
  { key = daemon.ownerKey, after }: { key?: string; after?: string | undefined } = {},
): Promise<OpenFeed> {
  const headers = {
    authorization: `Bearer ${key}`,
    accept: 'text/event-stream',
    ...(after !== undefined && { 'last-event-id': after }),
  }
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL(`/api/events${query}`, daemon.url), { headers, agent: false }, resolve).on('error', reject)
  })
  if (message.statusCode !== 200) throw new Error(`the feed answered ${message.statusCode}`)
  let id: string | undefined
  const events = readEvents<FeedEvent>(message, received => {
    id = received
  })
  const next = async () => {
    const { done, value } = await events.next()
    if (done) throw new Error('the feed ended')
    return value
  }
  return {
    get id() {
      return id
    },
    next,
    async until(matches) {
      const seen: FeedEvent[] = []
      do seen.push(await next())
      while (!matches(seen.at(-1)!))
      return seen
    },
    async ended() {
      const rest: FeedEvent[] = []
      for await (const event of events) rest.push(event)
      return rest
    },
    close: () => message.destroy(),
  }
}
