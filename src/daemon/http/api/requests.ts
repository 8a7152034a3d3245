import * as z from 'zod'
import {
  replayRequestSchema,
  replayResultSchema,
  requestArchiveSchema,
  requestPageSchema,
  requestRecordSchema,
} from '../../../shared/contract/monitoring/requests.ts'
import { REQUEST_OUTCOMES, STORE_ENVIRONMENTS } from '../../../shared/contract/states.ts'
import { sessionLabel } from '../../../shared/instances/session-label.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint, endpoint } from '../endpoint.ts'
import { timeSchema, toUtc } from '../log-query.ts'
import { idSchema, limitSchema, logTokenSchema } from '../path-ids.ts'

const params = z.object({ id: idSchema.describe('Id of the record.') })

const exportQuery = z.strictObject({
  server: z.string().optional().describe('Only requests to the server with this name.'),
  environment: z.enum(STORE_ENVIRONMENTS).optional().describe('Only this environment, or `preview`.'),
  deployment: z.string().optional().describe('Only this deployment, or the preview of this build.'),
  since: timeSchema.describe('Only requests since this time.'),
  until: timeSchema.describe('Only requests until this time.'),
  method: z.string().optional().describe('Only this MCP method.'),
  tool: z.string().optional().describe('Only calls of this tool.'),
  sessionId: z.string().optional().describe('Only requests in this session.'),
  caller: z.string().optional().describe('Only requests from this signed-in user.'),
  outcome: z
    .enum([...REQUEST_OUTCOMES, 'failed'])
    .optional()
    .describe('Only requests with this outcome. `failed`: all except `ok`.'),
  kind: z
    .literal('call')
    .optional()
    .describe('`call`: omit successful handshakes, lists, pings, subscriptions and notifications.'),
  grep: z.string().min(1).max(200).optional().describe('Only requests that contain this text.'),
  limit: limitSchema,
})

const listQuery = exportQuery.extend({
  id: idSchema.optional().describe('Only requests whose id starts with this text.'),
  nextToken: logTokenSchema,
})

function toRequestQuery<Q extends z.output<typeof exportQuery>>({
  since,
  until,
  sessionId,
  grep,
  ...query
}: Q) {
  return {
    ...query,
    since: toUtc(since),
    until: toUtc(until),
    sessionId: sessionId && sessionLabel(sessionId),
    text: grep,
  }
}

/** `/api/requests` */
export function requestsEndpoints({ requestRecords, replays }: Services) {
  const listRequests = endpoint({
    operationId: 'listRequests',
    summary: 'List or follow the requests to MCP servers, newest first',
    query: listQuery,
    answers: {
      200: {
        description: 'A page of requests. Any page may contain fewer than `limit`.',
        schema: requestPageSchema,
        events: requestRecordSchema,
        resumable: true,
      },
    },
    async run({ query, signal, accepts, lastEventId: after }) {
      const wanted = toRequestQuery(query)
      if (!accepts('text/event-stream')) return { status: 200, data: await requestRecords.list(wanted) }
      requestRecords.requireFollowable(after)
      return { status: 200, resumable: requestRecords.follow({ ...wanted, after, signal }) }
    },
  })

  const exportRequests = dataEndpoint({
    operationId: 'exportRequests',
    summary: 'Export requests with their bodies as an HTTP archive',
    query: exportQuery,
    answers: { 200: { description: 'The archive.', schema: requestArchiveSchema } },
    run: ({ query }) => requestRecords.archive(toRequestQuery(query)),
  })

  const getRequest = dataEndpoint({
    operationId: 'getRequest',
    summary: 'Read a request with its arguments and answer',
    params,
    answers: { 200: { description: 'The request.', schema: requestRecordSchema } },
    run: ({ params }) => requestRecords.get(params.id),
  })

  const replayRequest = dataEndpoint({
    operationId: 'replayRequest',
    summary: 'Repeat a tool call and its effects, with the same or other arguments',
    params,
    body: replayRequestSchema,
    bodyOptional: true,
    errors: ['CONFLICT', 'UNAVAILABLE'],
    answers: { 200: { description: 'Result of the call.', schema: replayResultSchema } },
    run: ({ params, body, signal }) => replays.replay(params.id, body ?? {}, signal),
  })

  return { listRequests, exportRequests, getRequest, replayRequest }
}
