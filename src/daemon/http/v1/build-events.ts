import type { BuildEvent } from '../../../shared/contract/builds/builds.ts'
import { EventQueue } from '../../services/event-queue.ts'
import type { Services } from '../../services/services.ts'
import type { Reply } from '../endpoint.ts'

/** Phases of a new build as they begin, then the finished build. Throws the errors of `Builds.create` before the stream. */
export async function buildEvents(
  { builds, records }: Pick<Services, 'builds' | 'records'>,
  body: unknown,
  options: { stopped: AbortSignal; isTemporary: boolean },
): Promise<Reply> {
  const queue = new EventQueue<BuildEvent>()
  const onPhase = (phase: string) => queue.push({ type: 'phase', phase })
  const { build, done } = await builds.create(body, { ...options, onPhase })
  void done
    .then(ended => queue.push({ type: 'result', result: records.build(ended) }))
    // `Builds` reports the error. The stream ends without a result.
    .catch(() => {})
    .finally(() => queue.end())
  return { status: 201, events: queue.read(), headers: { Location: `/v1/build/${build.id}` } }
}
