import * as z from 'zod'
import { described, named } from '../../json/schema-metadata.ts'
import { EXAMPLE_DEPLOYMENT_ID, EXAMPLE_TIME, isoTime, itemPage } from '../fields.ts'
import { STORE_ENVIRONMENTS } from '../states.ts'

/** MCP sessions of clients (extension; docs/sessions.md). */

export const sessionEnvironmentSchema = z
  .enum(STORE_ENVIRONMENTS)
  .meta(described('Environment of the server, or `preview`.', 'production'))

const clientSchema = named('SessionClient', 'Name and version that a client sent.', {
  name: 'claude-code',
  version: '2.0.1',
}).object({
  name: z.string().describe('Name of the client.'),
  version: z.string().describe('Version of the client.'),
})

const EXAMPLE_SESSION = {
  id: 'ses_3f9a1c20b7de4485a6c1',
  kind: 'session' as const,
  environment: 'production' as const,
  deploymentId: EXAMPLE_DEPLOYMENT_ID,
  instances: ['inst_2k9q4w5x1z8c3v6b0h7m'],
  sessionId: 'q3Xw81Lr',
  protocolVersion: '2025-11-25',
  client: { name: 'claude-code', version: '2.0.1' },
  caller: 'github|42',
  startedAt: EXAMPLE_TIME,
  lastUsedAt: EXAMPLE_TIME,
  requests: 12,
  activeRequests: 0,
  openStreams: 1,
  subscriptions: ['file:///notes.txt'],
}

const sessionSchema = named(
  'Session',
  'An MCP session of a client up to protocol version 2025-11-25, or a subscription stream since 2026-07-28.',
  EXAMPLE_SESSION,
).object({
  id: z.string().describe('Id of the session in this API. It gives no access to the session.'),
  kind: z
    .enum(['session', 'subscription'])
    .describe('`subscription`: a stream of `subscriptions/listen`, whose protocol version has no sessions.'),
  environment: sessionEnvironmentSchema,
  deploymentId: z.string().nullable().describe('Deployment that serves it. Null for the preview.'),
  instances: z.array(z.string()).describe('Ids of the instances that serve it.'),
  sessionId: z.string().nullable().describe('`sessionId` of its log lines. Null for a subscription.'),
  protocolVersion: z.string().describe('Protocol version of the client.'),
  client: clientSchema
    .nullable()
    .describe('Null when no running instance saw `initialize`, and for a program that serves HTTP itself.'),
  caller: z.string().nullable().describe('Subject of the signed-in user. Null without sign-in.'),
  startedAt: isoTime.describe('Start of the session.'),
  lastUsedAt: isoTime.describe('Time of its last request.'),
  requests: z.int().describe('Number of requests that its instances have received.'),
  activeRequests: z.int().describe('Number of running requests.'),
  openStreams: z.int().describe('Number of open streams for messages from the server.'),
  subscriptions: z
    .array(z.string())
    .describe('Lists (`tools`, `resources`, `prompts`) and the first resource URIs that it subscribes to.'),
})

const unansweredSchema = z
  .array(z.string())
  .describe('Ids of instances that did not answer within two seconds, because their code blocks them.')

/** GET /api/servers/{name}/sessions */
export const sessionPageSchema = itemPage(sessionSchema, 'SessionPage')
  .extend({ unanswered: unansweredSchema })
  .meta({ id: 'SessionPage', description: 'One page of a list.' })

export const endedSessionsSchema = named('EndedSessions', 'Result of ending sessions.', {
  ended: 1,
  unanswered: [],
}).object({
  ended: z.int().describe('Number of open sessions that were ended.'),
  unanswered: unansweredSchema,
})

export type SessionRecord = z.infer<typeof sessionSchema>
export type SessionPage = z.infer<typeof sessionPageSchema>
export type EndedSessionsResult = z.infer<typeof endedSessionsSchema>
