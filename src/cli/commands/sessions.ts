import type {
  EndedSessionsResult,
  SessionPage,
  SessionRecord,
} from '../../shared/contract/servers/sessions.ts'
import { STORE_ENVIRONMENTS } from '../../shared/contract/states.ts'
import { counted } from '../../shared/counted.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatElapsed } from '../../shared/format/relative-time.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import type { Output } from '../output/output.ts'
import { confirm } from '../output/prompt.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { pickById } from '../targets/pick-by-id.ts'
import { SERVER_ARGUMENT, serverOption } from '../targets/server-arguments.ts'

const ENV = {
  type: 'string',
  value: 'environment',
  choices: STORE_ENVIRONMENTS,
  doc: 'only this environment, or the preview',
} as const

export const list = defineCommand({
  name: 'sessions',
  description:
    'List the open MCP sessions of a server, newest first: client, user, protocol version, age, last use, requests and open streams. Clients that use protocol version 2026-07-28 or later have no sessions. Their subscription streams are listed instead.',
  arguments: {
    server: SERVER_ARGUMENT,
  },
  options: { env: ENV },
  examples: {
    'mcp sessions weather': 'in all environments',
    'mcp sessions weather --env production --json': '{items, unanswered}',
  },
  async run(context, { server, env }) {
    const { output, api } = context
    const client = await api()
    const name = server ?? (await chooseServer(context))
    const { items, unanswered } = await listSessions(client, name, env)
    output.result({ name, items, unanswered }, () => {
      sessionTable(output, items, name)
      warnUnanswered(output, unanswered)
      if (items[0])
        output.next({
          description: 'End a session',
          command: `mcp sessions end ${items[0].id} --server ${name}`,
        })
    })
  },
})

export const end = defineCommand({
  name: 'sessions end',
  description:
    'End MCP sessions of a server. Their streams close, and their clients get 404 and initialize again. To keep a user out, revoke the grant as well.',
  arguments: { id: { doc: 'session id or unique prefix' } },
  options: {
    server: serverOption('mcp sessions'),
    env: ENV,
    all: { type: 'boolean', doc: 'end all sessions, including idle ones that no instance has in memory' },
  },
  examples: {
    'mcp sessions end ses_3f9a --server weather': 'one session',
    'mcp sessions end --all --server weather --env production --yes': 'all sessions, without confirmation',
  },
  async run(context, { id, server, env, all }) {
    const { output, api } = context
    if ((id === undefined) !== all)
      throw new HostingError('INVALID_REQUEST', 'Give either the id of a session or --all.', {
        next: [{ description: 'List sessions', command: 'mcp sessions' }],
      })
    const client = await api()
    const name = server ?? (await chooseServer(context, { argument: '--server', isDestructive: all }))
    if (id === undefined) {
      const what = `all MCP sessions of ${name}${env ? ` in ${env}` : ''}`
      await confirm(context, { question: `End ${what}?`, action: `Ending ${what}` })
      const query = env === undefined ? '' : `?environment=${env}`
      return report(output, await client.delete(`${pathOf(name)}${query}`))
    }
    const { items } = await listSessions(client, name, env)
    const session = pickById(items, id, { what: 'session', list: `mcp sessions ${name}` })
    report(output, await client.delete(`${pathOf(name)}/${session.id}`))
  },
})

function report(output: Output, result: EndedSessionsResult): void {
  output.result(result, () => {
    output.line(`Ended ${counted(result.ended, 'session')}`)
    warnUnanswered(output, result.unanswered)
  })
}

function warnUnanswered(output: Output, unanswered: readonly string[]): void {
  if (unanswered.length > 0)
    output.note(`Sessions may be missing: ${unanswered.join(', ')} did not answer within 2 s.`)
}

async function listSessions(
  client: ApiClient,
  server: string,
  environment: string | undefined,
): Promise<{ items: SessionRecord[]; unanswered: string[] }> {
  const items: SessionRecord[] = []
  const unanswered = new Set<string>()
  let nextToken: string | undefined
  do {
    const page = await client.get<SessionPage>(pathOf(server), { environment, limit: 1000, nextToken })
    items.push(...page.items)
    for (const id of page.unanswered) unanswered.add(id)
    nextToken = page.nextToken ?? undefined
  } while (nextToken !== undefined)
  return { items, unanswered: [...unanswered] }
}

const COLUMNS: readonly [header: string, cell: (session: SessionRecord) => string][] = [
  ['ID', ({ id }) => id],
  ['CLIENT', ({ client }) => (client ? `${client.name} ${client.version}` : '')],
  ['USER', ({ caller }) => caller ?? ''],
  ['ENVIRONMENT', ({ environment }) => environment],
  ['PROTOCOL', ({ protocolVersion }) => protocolVersion],
  ['AGE', ({ startedAt }) => formatElapsed(startedAt)],
  ['LAST USE', ({ lastUsedAt }) => formatElapsed(lastUsedAt)],
  ['REQUESTS', ({ requests }) => String(requests)],
  ['STREAMS', ({ openStreams }) => String(openStreams)],
]

/** Omits columns that are empty for all sessions. */
function sessionTable(output: Output, sessions: readonly SessionRecord[], server: string): void {
  const shown = COLUMNS.filter(([, cell]) => sessions.some(session => cell(session) !== ''))
  output.table(
    shown.map(([header]) => header),
    sessions.map(session => shown.map(([, cell]) => cell(session))),
    `${server} has no open sessions.`,
  )
}

function pathOf(server: string): string {
  return `/api/servers/${encodeURIComponent(server)}/sessions`
}
