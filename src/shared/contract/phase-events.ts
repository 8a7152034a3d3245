import * as z from 'zod'
import { described } from '../json/schema-metadata.ts'

/** Events of a build or a deployment: its phases as they begin, and finally its record. */
export function phaseEventsOf<T extends z.ZodType>(
  record: T,
  { id, of, phase }: { id: string; of: string; phase: string },
) {
  return z
    .discriminatedUnion('type', [
      z.object({
        type: eventType('phase'),
        phase: z.string().meta(described(`Current phase of the ${of}.`, phase)),
      }),
      z.object({ type: eventType('result'), result: record }),
    ])
    .meta({ id, description: `An event of a ${of}. The last one is the result.` })
}

function eventType<T extends string>(value: T) {
  return z.literal(value).describe('Kind of the event.')
}

export type PhaseEvent<T> = { type: 'phase'; phase: string } | { type: 'result'; result: T }
