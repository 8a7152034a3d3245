import { EventQueue } from '../../services/event-queue.ts'
import type { Services } from '../../services/services.ts'
import type { Reply } from '../endpoint.ts'
import { phaseEvents } from './phase-events.ts'

/** Phases of a new build as they begin, then the finished build. Throws the errors of `Builds.create` before streaming. */
export async function buildEvents(
  { builds, records }: Pick<Services, 'builds' | 'records'>,
  body: unknown,
  options: { stopped: AbortSignal; isTemporary: boolean },
): Promise<Reply> {
  const queue = new EventQueue<string>()
  const { build, done } = await builds.create(body, { ...options, onPhase: phase => queue.push(phase) })
  const end = () => queue.end()
  done.then(end, end)
  const events = phaseEvents({ phases: queue.read(), done }, ended => records.build(ended))
  return { status: 201, events, headers: { Location: `/v1/build/${build.id}` } }
}
