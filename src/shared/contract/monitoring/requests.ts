import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { EXAMPLE_DEPLOYMENT_ID, EXAMPLE_MCP_ID, EXAMPLE_TIME, isoTime, itemPage } from '../fields.ts'
import { REQUEST_OUTCOMES, STORE_ENVIRONMENTS } from '../states.ts'

/** Records of MCP requests: GET /api/requests, GET /api/requests/{id}, POST /api/requests/{id}/replay. */

const EXAMPLE_ID = 'req_1z4.1.inst_4h7k2m9q5w1x8z3c6v0b.dep_7m2k9q4w5x1z8c3v6b0h'

const exampleRecord = {
  id: EXAMPLE_ID,
  server: 'greeter',
  environment: 'development',
  deploymentId: EXAMPLE_DEPLOYMENT_ID,
  mcpId: EXAMPLE_MCP_ID,
  version: 7,
  instance: 'inst_4h7k2m9q5w1x8z3c6v0b',
  timestamp: EXAMPLE_TIME,
  durationMs: 3.2,
  method: 'tools/call',
  tool: 'greet',
  target: null,
  sessionId: 'Dj93afax',
  caller: null,
  requestId: '2',
  requestBytes: 120,
  responseBytes: 84,
  outcome: 'ok',
  status: null,
  code: null,
  reason: null,
  replayOf: null,
  bodies: 'kept',
  isReplayable: true,
}

const environment = z.enum(STORE_ENVIRONMENTS).describe('Environment, or `preview`.')

export const requestRecordSchema = named(
  'RequestRecord',
  'A request to an MCP server.',
  exampleRecord,
).object({
  id: z.string().describe('Id of the record.'),
  server: z.string().describe('Name of the server.'),
  environment,
  deploymentId: z.string().nullable().describe('Id of the deployment. Null for a preview.'),
  mcpId: z.string().describe('Id of the build.'),
  version: z.int().nullable().describe('Version of the release. Null for a preview.'),
  instance: z.string().describe('Id of the instance that answered.'),
  timestamp: isoTime.describe('Time of the answer.'),
  durationMs: z.number().nullable().describe('Time until the answer.'),
  method: z.string().nullable().describe('MCP method, or HTTP method and path if nothing more is known.'),
  tool: z.string().nullable().describe('Tool of a call.'),
  target: z.string().nullable().describe('Resource or prompt.'),
  sessionId: z.string().nullable().describe('Short id of the session, as in log lines.'),
  caller: z.string().nullable().describe('Signed-in user.'),
  requestId: z.string().nullable().describe('JSON-RPC id.'),
  requestBytes: z.int().nullable().describe('Size of the request.'),
  responseBytes: z.int().nullable().describe('Size of the answer.'),
  outcome: z
    .enum(REQUEST_OUTCOMES)
    .describe(
      '`error`: includes errors that a tool reported. `cancelled`: by the client. `refused`: before the request reached the server.',
    ),
  status: z.int().nullable().describe('HTTP status of a refused request.'),
  code: z.int().nullable().describe('Code of the JSON-RPC error.'),
  reason: z.string().nullable().describe('Why it failed.'),
  replayOf: z.string().nullable().describe('Record that this request repeats, according to its client.'),
  bodies: z
    .enum(['kept', 'truncated', 'omitted', 'none'])
    .describe(
      'Whether arguments and answer were kept. `truncated`: one was too long. `omitted`: too many requests in that minute.',
    ),
  isReplayable: z.boolean().describe('A tool call whose complete arguments are known.'),
  arguments: z.unknown().optional().describe('Arguments, redacted. Text if truncated. Absent in lists.'),
  answer: z
    .unknown()
    .optional()
    .describe('JSON-RPC answer, redacted and truncated like the arguments. Absent in lists.'),
})

export const requestPageSchema = itemPage(requestRecordSchema, 'RequestPage')

export const replayRequestSchema = named('ReplayRequest', 'Changes to the repeated call.', {
  environment: 'development',
  arguments: { name: 'Grace' },
}).strictObject({
  arguments: z.record(z.string(), z.unknown()).optional().describe('Arguments instead of the recorded ones.'),
  environment: environment.optional().describe('By default the environment of the recorded call.'),
  token: z
    .string()
    .min(1)
    .max(16_384)
    .optional()
    .describe('Bearer token for a protected server. Never stored.'),
})

export const replayResultSchema = named('ReplayResult', 'Result of a repeated call.', {
  replayOf: EXAMPLE_ID,
  environment: 'development',
  arguments: { name: 'Grace' },
  durationMs: 2.4,
  outcome: 'ok',
  result: { content: [{ type: 'text', text: 'Hello, Grace!' }] },
  error: null,
}).object({
  replayOf: z.string().describe('Id of the record that was repeated.'),
  environment,
  arguments: z.record(z.string(), z.unknown()).describe('Arguments of the call.'),
  durationMs: z.number().describe('Time until the answer.'),
  outcome: z.enum(['ok', 'error']).describe('`error`: the call failed, or the tool reported an error.'),
  result: z.unknown().describe('Result of the tool. Null if the call failed with a JSON-RPC error.'),
  error: z.string().nullable().describe('Why the call failed.'),
})

export const requestArchiveSchema = named('RequestArchive', 'Requests as an HTTP archive (HAR 1.2).', {
  log: { version: '1.2', creator: { name: 'mcp-hosting', version: '1.0.0' }, entries: [] },
}).object({
  log: z
    .looseObject({
      entries: z.array(z.looseObject({})).describe('Requests, oldest first. `_record`: the record.'),
    })
    .describe('The archive.'),
})

export type RequestRecordItem = z.infer<typeof requestRecordSchema>
export type RequestPage = z.infer<typeof requestPageSchema>
export type ReplayRequest = z.infer<typeof replayRequestSchema>
export type ReplayResult = z.infer<typeof replayResultSchema>

/** The part of HAR 1.2 that this daemon writes. */
export interface RequestArchive {
  log: { version: string; creator: { name: string; version: string }; entries: RequestArchiveEntry[] }
}

export interface RequestArchiveEntry extends Record<string, unknown> {
  startedDateTime: string
  time: number
  _record: RequestRecordItem
}
