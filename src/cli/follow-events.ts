import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../shared/errors.ts'
import type { RequestInput } from './api-client.ts'
import type { CommandContext } from './command-context.ts'

const RETRY_MS = 250
/** A daemon that is restarted or replaced is back in a second, a machine that slept in some more. */
const PATIENCE_MS = 60_000

type Surroundings = Pick<CommandContext, 'api' | 'reopenApi' | 'output' | 'signal'>

/**
 * Events of a stream that has no end of its own. When it breaks off, because the daemon is restarted, it is opened again and
 * goes on after the last event, if events have ids. Throws what the API says, CANCELLED at Ctrl-C, and UNAVAILABLE when
 * the API stays away.
 */
export async function* followEvents<T>(
  { api, reopenApi, output, signal }: Surroundings,
  path: string,
  query: NonNullable<RequestInput['query']>,
): AsyncGenerator<T> {
  let client = await api()
  let lastId: string | undefined
  let isStream = false
  let lost: { at: number; error: unknown } | undefined
  for (;;) {
    try {
      yield* client.stream<T>('GET', path, {
        // What an id leads to needs no older lines.
        query: lastId === undefined ? query : { ...query, tail: undefined },
        headers: lastId === undefined ? {} : { 'last-event-id': lastId },
        onStream: () => {
          isStream = true
          lost = undefined
        },
        onEventId: id => {
          lastId = id
        },
      })
      if (!isStream) return
    } catch (error) {
      if (!isStream || !isLoss(error)) throw error
      lost ??= { at: performance.now(), error }
    }
    lost ??= { at: performance.now(), error: undefined }
    if (performance.now() - lost.at > PATIENCE_MS) throw goneFor(client.url, lost.error)
    output.trace('the stream broke off; opening it again')
    await sleep(RETRY_MS, undefined, { signal })
    client = (await reopenApi().catch(() => undefined)) ?? client
  }
}

function isLoss(error: unknown): boolean {
  return error instanceof HostingError && (error.code === 'UNAVAILABLE' || error.code === 'TIMEOUT')
}

function goneFor(url: string, cause: unknown): HostingError {
  return new HostingError(
    'UNAVAILABLE',
    `${url} broke the stream off and was not back within ${PATIENCE_MS / 1000} s.`,
    { cause, next: [{ description: 'Start the daemon', command: 'mcp daemon start' }] },
  )
}
