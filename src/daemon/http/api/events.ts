import * as z from 'zod'
import { CHANGE_TYPES } from '../../../shared/contract/monitoring/change-types.ts'
import { feedEventSchema } from '../../../shared/contract/monitoring/events.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'
import { serverFilterSchema, wholeNumber } from '../path-ids.ts'

const [KIND, KINDS] = [CHANGE_TYPES.join('|'), CHANGE_TYPES.join(', ')]

const typesSchema = z
  .string()
  .regex(
    new RegExp(`^(?:${KIND})(?:,(?:${KIND}))*$`),
    `expected one or more of ${KINDS}, separated by commas`,
  )

const query = z.strictObject({
  server: serverFilterSchema.describe('Only changes to the server with this name.'),
  types: typesSchema.optional().describe(`Only changes of these kinds, separated by commas: ${KINDS}.`),
  metrics: wholeNumber({ min: 1, max: 3600 })
    .optional()
    .describe('Seconds between two events with metrics. Without it, no metrics are sent.'),
})

export function eventsEndpoints({ events }: Services) {
  const followEvents = endpoint({
    operationId: 'followEvents',
    summary: 'Follow changes as a stream that can be resumed',
    query,
    scopeOfQuery: ({ metrics }) => (metrics === undefined ? undefined : 'READ'),
    answers: { 200: { description: 'Events.', events: feedEventSchema, resumable: true } },
    run: ({ query: { types, ...query }, principal, signal, lastEventId: after }) => ({
      status: 200,
      resumable: events.follow({ ...query, types: types?.split(','), principal, signal, after }),
    }),
  })

  return { followEvents }
}
