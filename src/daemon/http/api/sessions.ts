import * as z from 'zod'
import {
  endedSessionsSchema,
  sessionEnvironmentSchema,
  sessionPageSchema,
} from '../../../shared/contract/servers/sessions.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'
import { idSchema, limitSchema, pageTokenSchema } from '../path-ids.ts'

const name = idSchema.describe('Name of the server.')
const environment = sessionEnvironmentSchema.optional().describe('Only this environment, or `preview`.')

/** `/api/servers/{name}/sessions` */
export function sessionsEndpoints({ serverSessions }: Services) {
  const listSessions = dataEndpoint({
    operationId: 'listSessions',
    summary: 'List the open MCP sessions of a server, newest first',
    params: z.object({ name }),
    query: z.strictObject({ environment, limit: limitSchema, nextToken: pageTokenSchema }),
    answers: { 200: { description: 'A page of sessions.', schema: sessionPageSchema } },
    run: ({ params, query: { environment, limit, nextToken } }) =>
      serverSessions.list({ server: params.name, environment }, limit, nextToken),
  })

  const endSession = dataEndpoint({
    operationId: 'endSession',
    summary: 'End an MCP session of a server. Its client must initialize again',
    params: z.object({ name, id: idSchema.describe('Id of the session.') }),
    answers: { 200: { description: 'The session is no longer open.', schema: endedSessionsSchema } },
    run: ({ params, principal }) => serverSessions.end(params.name, params.id, principal.name),
  })

  const endSessions = dataEndpoint({
    operationId: 'endSessions',
    summary: 'End all MCP sessions of a server. Its clients must initialize again',
    params: z.object({ name }),
    query: z.strictObject({ environment }),
    answers: { 200: { description: 'All sessions were ended.', schema: endedSessionsSchema } },
    run: ({ params, query: { environment }, principal }) =>
      serverSessions.endAll({ server: params.name, environment }, principal.name),
  })

  return { listSessions, endSession, endSessions }
}
