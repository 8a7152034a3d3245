import type { PhaseEvent } from '../../shared/contract/phase-events.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ApiClient, RequestInput } from './client.ts'

/**
 * Sends a request and reports the phases of the work while it runs. Returns the resulting record. An API that does not stream
 * responds with that record alone. Throws UPSTREAM_FAILED when a stream ends without a record.
 */
export async function followPhases<T extends object>(
  api: ApiClient,
  path: string,
  { onPhase, ...input }: RequestInput & { onPhase(phase: string): void },
): Promise<T> {
  for await (const event of api.stream<PhaseEvent<T> | T>('POST', path, input)) {
    if (!isEvent(event)) return event
    if (event.type === 'result') return event.result
    onPhase(event.phase)
  }
  throw new HostingError(
    'UPSTREAM_FAILED',
    `${api.url} closed the response to POST ${path} without a result.`,
  )
}

function isEvent<T extends object>(event: PhaseEvent<T> | T): event is PhaseEvent<T> {
  return 'type' in event
}
