import type { PhaseEvent } from '../../../shared/contract/phase-events.ts'

/**
 * The phases of work as they begin, then the finished record. Ends without a record when the work throws. The service that does
 * the work reports the error.
 */
export async function* phaseEvents<Work, T>(
  { phases, done }: { phases: AsyncIterable<string>; done: Promise<Work> },
  toRecord: (work: Work) => T,
): AsyncGenerator<PhaseEvent<T>> {
  for await (const phase of phases) yield { type: 'phase', phase }
  const [ended] = await Promise.allSettled([done])
  if (ended.status === 'fulfilled') yield { type: 'result', result: toRecord(ended.value) }
}
