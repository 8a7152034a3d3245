import { resolve } from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/client'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type {
  ReplayResult,
  RequestArchive,
  RequestPage,
  RequestRecordItem,
} from '../../shared/contract/monitoring/requests.ts'
import { STORE_ENVIRONMENTS } from '../../shared/contract/states.ts'
import { counted } from '../../shared/counted.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatBytes, formatMs } from '../../shared/format/metric-format.ts'
import type { ApiClient } from '../api/client.ts'
import { followEvents } from '../api/follow-events.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { OptionDeclaration, OptionValues } from '../command-line/declaration.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { resultToText } from '../output/content.ts'
import type { Output } from '../output/output.ts'
import { parseTime } from '../output/parse-time.ts'
import {
  describeRequest,
  outcomeText,
  placeOf,
  requestLine,
  requestTable,
  shortId,
} from '../output/tables/request-table.ts'
import { requestScope, requireKnown, resolveRequest } from '../targets/request-target.ts'
import { replayArguments } from '../testing/replay-arguments.ts'

const DEFAULT_LIMIT = 20
const PAGE_SIZE = 1000

const SERVER = {
  server: {
    kind: 'server',
    doc: 'server name, deployment id, or mcp_id for one preview (default: all servers)',
  },
} as const

const FILTERS = {
  env: {
    type: 'string',
    value: 'environment',
    choices: STORE_ENVIRONMENTS,
    doc: 'only this environment, or the preview',
  },
  tool: { type: 'string', value: 'name', doc: 'only calls to this tool' },
  method: { type: 'string', value: 'name', doc: 'only this MCP method, such as resources/read' },
  failed: { type: 'boolean', doc: 'only requests that failed, were cancelled or were refused' },
  session: { type: 'string', value: 'id', doc: 'only requests in this session' },
  caller: { type: 'string', value: 'user', doc: 'only requests from this signed-in user' },
  since: { type: 'string', value: 'time', doc: 'start: 10m, 2h, or a time such as 2026-11-21T08:00:00Z' },
  until: { type: 'string', value: 'time', doc: 'end: a duration or a time' },
  grep: {
    type: 'string',
    value: 'text',
    doc: 'only requests that contain this text, including their bodies',
  },
  limit: {
    type: 'integer',
    short: 'n',
    value: 'count',
    default: DEFAULT_LIMIT,
    doc: 'maximum number of requests',
  },
} as const satisfies Record<string, OptionDeclaration>

type Filters = OptionValues<typeof FILTERS> & { server: string | undefined }
type Query = Record<string, string | number | undefined>

const ID = { required: true, doc: 'id of a request, or a unique prefix' } as const

export const list = defineCommand({
  name: 'requests',
  description:
    'List the newest requests to a server: session, user, duration, sizes and outcome. Arguments and answers are kept in development and previews, and elsewhere only with record_bodies in the configuration of the deployment.',
  arguments: SERVER,
  options: {
    ...FILTERS,
    follow: { type: 'boolean', short: 'f', doc: 'keep printing new requests until Ctrl-C' },
  },
  examples: {
    'mcp requests weather': 'the newest 20',
    'mcp requests weather --tool forecast --failed --since 1h': 'recent failures of one tool',
    'mcp requests -f': 'follow the requests to all servers',
    'mcp requests weather --json': 'a list of records',
  },
  async run(context, { follow, ...filters }) {
    const { output } = context
    const client = await context.api()
    const query = await queryOf(context, client, filters)
    if (follow) return followRequests(context, client, { query, server: filters.server })
    const items = await listRequests(client, query, filters)
    if (items.length === 0) await requireKnown(client, filters.server)
    output.result(items, () => {
      requestTable(output, items)
      if (items[0])
        output.next({
          description: 'Show a request',
          command: `mcp requests show ${shortId(items[0].id, items)}`,
        })
    })
  },
})

export const show = defineCommand({
  name: 'requests show',
  description: 'Show a request with its arguments and answer, if they were kept. Secrets are redacted.',
  arguments: { id: ID },
  examples: { 'mcp requests show req_1z4.1': 'by the id that mcp requests prints' },
  async run({ output, api }, { id: reference }) {
    const request = await readRequest(await api(), reference)
    output.result(request, () => showRequest(output, request, reference))
  },
})

export const replay = defineCommand({
  name: 'requests replay',
  description:
    'Repeat a recorded tool call, with all its effects, and print its result. Values replace recorded arguments and are written as for mcp call. Exits with 1 when the tool reports an error.',
  arguments: {
    id: ID,
    values: { doc: 'key=value, key:=<json>, {json}, @file or -', variadic: true },
  },
  options: {
    env: { ...FILTERS.env, doc: 'environment to call, or preview (default: that of the recorded call)' },
    token: { type: 'string', value: 'token', doc: 'bearer token for a protected server' },
  },
  examples: {
    'mcp requests replay req_1z4.1': 'the same call again',
    'mcp requests replay req_1z4.1 city=Lima --env preview': 'another argument, against the preview',
  },
  async run({ output, api }, { id: reference, values, env, token }): Promise<ExitCode> {
    const client = await api()
    const request = await readRequest(client, reference)
    const args = values.length > 0 ? replayArguments(request, values) : undefined
    if (args && !request.isReplayable && typeof request.arguments !== 'object')
      output.note('The complete arguments were not recorded. Only the given values are sent.')
    const body = { arguments: args, environment: env, token }
    const path = `${pathOf(request.id)}/replay`
    const result = await client.request<ReplayResult>('POST', path, { body })
    output.result(result, () => {
      const text = result.result === null ? result.error : resultToText(result.result as CallToolResult)
      output.content(text ?? '')
      output.note(
        `${request.tool} in ${result.environment}: ${result.outcome} after ${formatMs(result.durationMs)}`,
      )
    })
    return result.outcome === 'ok' ? EXIT.done : EXIT.failed
  },
})

export const exportRequests = defineCommand({
  name: 'requests export',
  description:
    'Write the newest requests (at most 1000) with their bodies as an HTTP archive (HAR), oldest first.',
  arguments: SERVER,
  options: {
    ...FILTERS,
    output: {
      type: 'string',
      short: 'o',
      kind: 'file',
      value: 'file',
      doc: 'file to write (default: standard output)',
    },
  },
  examples: {
    'mcp requests export weather -o weather.har -n 1000': 'the newest 1000 requests',
    'mcp requests export weather --failed': 'failed requests on standard output',
  },
  async run(context, { output: file, ...filters }) {
    const { output, cwd } = context
    const client = await context.api()
    const query = { ...(await queryOf(context, client, filters, PAGE_SIZE)), limit: filters.limit }
    const archive = await client.get<RequestArchive>('/api/requests/export', query)
    if (archive.log.entries.length === 0) await requireKnown(client, filters.server)
    if (file === undefined) return output.result(archive, () => output.content(JSON.stringify(archive)))
    writeFileAtomic(resolve(cwd, file), `${JSON.stringify(archive, null, 2)}\n`)
    const count = archive.log.entries.length
    output.result({ file: resolve(cwd, file), requests: count }, () =>
      output.line(`Wrote ${counted(count, 'request')} to ${file}`),
    )
  },
})

async function queryOf(
  context: CommandContext,
  client: ApiClient,
  filters: Filters,
  maxLimit = PAGE_SIZE * 100,
): Promise<Query> {
  const { server, env, tool, method, failed, session, caller, since, until, grep, limit } = filters
  if (limit < 1 || limit > maxLimit)
    throw new HostingError('INVALID_REQUEST', `--limit is ${limit}, expected 1 to ${maxLimit}.`)
  return {
    ...(await requestScope(context, client, { server, env })),
    tool,
    method,
    outcome: failed ? 'failed' : undefined,
    sessionId: session,
    caller,
    since: parseTime('--since', since),
    until: parseTime('--until', until),
    grep,
  }
}

async function listRequests(
  client: ApiClient,
  query: Query,
  { limit }: Filters,
): Promise<RequestRecordItem[]> {
  const items: RequestRecordItem[] = []
  let nextToken: string | undefined
  do {
    const size = Math.min(PAGE_SIZE, limit - items.length)
    const page = await client.get<RequestPage>('/api/requests', { ...query, limit: size, nextToken })
    items.push(...page.items)
    nextToken = page.nextToken ?? undefined
  } while (nextToken !== undefined && items.length < limit)
  return items
}

async function followRequests(
  context: CommandContext,
  client: ApiClient,
  { query, server }: { query: Query; server: string | undefined },
): Promise<void> {
  const { output } = context
  await requireKnown(client, server)
  for await (const request of followEvents<RequestRecordItem>(context, '/api/requests', query))
    output.entry(request, () => requestLine(request, output.style))
}

async function readRequest(client: ApiClient, reference: string): Promise<RequestRecordItem> {
  return client.get<RequestRecordItem>(pathOf(await resolveRequest(client, reference)))
}

function showRequest(output: Output, request: RequestRecordItem, reference: string): void {
  const { arguments: args, answer, durationMs, requestBytes, responseBytes } = request
  output.line(`${output.style.bold(describeRequest(request))} ${outcomeText(request)}`)
  output.fields({
    id: request.id,
    server: placeOf(request),
    release: request.version === null ? undefined : `version ${request.version}`,
    instance: request.instance,
    time: request.timestamp,
    duration: durationMs === null ? undefined : formatMs(durationMs),
    session: request.sessionId ?? undefined,
    user: request.caller ?? undefined,
    request: requestBytes === null ? undefined : formatBytes(requestBytes),
    answer: responseBytes === null ? undefined : formatBytes(responseBytes),
    'replay of': request.replayOf ?? undefined,
  })
  showBody(output, 'Arguments', args)
  showBody(output, 'Answer', answer)
  if (request.bodies === 'none') output.line('Arguments and answer were not kept (record_bodies).')
  if (request.bodies === 'omitted')
    output.line('Arguments and answer were not kept: the size limit per minute was reached.')
  if (request.isReplayable)
    output.next({ description: 'Repeat the call', command: `mcp requests replay ${reference}` })
}

function showBody(output: Output, title: string, body: unknown): void {
  if (body === undefined) return
  output.line()
  output.line(output.style.bold(title))
  output.content(typeof body === 'string' ? body : JSON.stringify(body))
}

function pathOf(id: string): string {
  return `/api/requests/${encodeURIComponent(id)}`
}
