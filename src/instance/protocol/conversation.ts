import type { IncomingMessage } from 'node:http'
import type { CallerSession, ClientFacts } from '../prepared-server.ts'
import type { NotificationSink } from './request-context.ts'
import type { Run } from './run-request.ts'

/** What a running request can do beyond its answer, as its era does it. One for an era: the request comes as `run`. */
export interface Conversation {
  /** Makes the answer a stream of events; undefined when there is no room for one more. */
  open(run: Run): NotificationSink | undefined
  client(run: Run): ClientFacts
  session(run: Run): CallerSession | undefined
  ask(
    run: Run,
    method: string,
    params: Record<string, unknown>,
    key: string | undefined,
    unwanted?: AbortSignal,
  ): Promise<Record<string, unknown>>
  inputResponses(run: Run): Record<string, Record<string, unknown>> | undefined
  requestState(run: Run): unknown
  closeStream(run: Run, retryMs: number | undefined): void
}

const BEARER = /^bearer +([^\s,]+) *$/i

/** Token of the `Authorization` header (RFC 6750 2.1). */
export function bearerToken({ headers }: IncomingMessage): string | undefined {
  return headers.authorization === undefined ? undefined : BEARER.exec(headers.authorization)?.[1]
}
