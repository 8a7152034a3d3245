import { setTimeout as sleep } from 'node:timers/promises'
import { HostingError } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { RequestInput } from './client.ts'

const RETRY_MS = 250
/** A restarted daemon is back within a second. A machine that was suspended takes longer. */
const RECONNECT_TIMEOUT_MS = 60_000

type FollowContext = Pick<CommandContext, 'api' | 'reopenApi' | 'output' | 'signal'>

/**
 * Events of an endless stream. When the stream breaks, for example because the daemon restarts, it is reopened after the
 * last event that had an id. Throws the API's errors, CANCELLED on Ctrl-C, and UNAVAILABLE when the API does not come
 * back.
 */
export async function* followEvents<T>(
  { api, reopenApi, output, signal }: FollowContext,
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
        // A resumed stream continues after the last event, so it needs no tail.
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
      if (!isStream || !isConnectionError(error)) throw error
      lost ??= { at: performance.now(), error }
    }
    lost ??= { at: performance.now(), error: undefined }
    if (performance.now() - lost.at > RECONNECT_TIMEOUT_MS) throw lostError(client.url, lost.error)
    output.trace('the stream broke, reopening it')
    await sleep(RETRY_MS, undefined, { signal }).catch(cause => {
      throw new HostingError('CANCELLED', 'Interrupted.', { cause })
    })
    client = (await reopenApi().catch(() => undefined)) ?? client
  }
}

function isConnectionError(error: unknown): boolean {
  return error instanceof HostingError && (error.code === 'UNAVAILABLE' || error.code === 'TIMEOUT')
}

function lostError(url: string, cause: unknown): HostingError {
  return new HostingError(
    'UNAVAILABLE',
    `${url} closed the stream and was unreachable for ${RECONNECT_TIMEOUT_MS / 1000} s.`,
    { cause, next: [{ description: 'Start the daemon', command: 'mcp daemon start' }] },
  )
}
