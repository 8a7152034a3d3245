import * as z from 'zod'
import { LOG_LEVELS } from '../../shared/contract/states.ts'
import { sessionLabel } from '../../shared/instances/session-label.ts'
import type { LogQuery } from '../services/deployments/deployment-logs.ts'
import type { Call, Reply } from './endpoint.ts'
import { logLimitSchema, logTokenSchema, wholeNumber } from './path-ids.ts'

export const timeSchema = z.iso.datetime({ offset: true }).optional()

export const logQuerySchema = z.strictObject({
  limit: logLimitSchema,
  nextToken: logTokenSchema,
  level: z.enum(LOG_LEVELS).optional().describe('Only lines of this level or above.'),
  since: timeSchema.describe('Only lines since this time.'),
  until: timeSchema.describe('Only lines until this time.'),
  grep: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Only lines that contain this text, also in the arguments or the error of a request.'),
  tail: wholeNumber({ min: 0, max: 10_000 }).optional().describe('Only this many newest lines.'),
  tool: z.string().optional().describe('Only calls of this tool.'),
  sessionId: z.string().optional().describe('Only requests in this session.'),
  requestId: z.string().optional().describe('Only this request.'),
  instance: z.string().optional().describe('Only lines of this instance.'),
})

type Query = z.output<typeof logQuerySchema> & { phase?: string | undefined }

/** Logs of deployments, or of servers. */
interface Logs<Subject> {
  page(subject: Subject, query: LogQuery & { limit: number; nextToken?: string }): Promise<object>
  follow(
    subject: Subject,
    query: LogQuery & { after?: string | undefined; signal: AbortSignal },
  ): AsyncIterable<{ id: string | undefined; data: unknown }>
  requireFollowable(subject: Subject, after: string | undefined): void
}

/** One page, or a stream if the client accepts one. */
export async function readLog<Subject>(
  logs: Logs<Subject>,
  subject: Subject,
  {
    query: { limit, nextToken, sessionId, ...query },
    signal,
    accepts,
    lastEventId: after,
  }: Pick<Call<unknown, Query, unknown>, 'query' | 'signal' | 'accepts' | 'lastEventId'>,
): Promise<Reply> {
  const filter = {
    ...query,
    since: toUtc(query.since),
    until: toUtc(query.until),
    ...(sessionId !== undefined && { sessionId: sessionLabel(sessionId) }),
  }
  if (!accepts('text/event-stream'))
    return { status: 200, data: await logs.page(subject, { ...filter, limit, nextToken }) }
  logs.requireFollowable(subject, after)
  return { status: 200, resumable: logs.follow(subject, { ...filter, after, signal }) }
}

/** Log lines are in UTC and compared as text. */
export function toUtc(time: string | undefined): string | undefined {
  return time && new Date(time).toISOString()
}
