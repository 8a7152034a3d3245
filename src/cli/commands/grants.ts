import type { SignInGrant } from '../../shared/contract/access/sign-ins.ts'
import { formatElapsed } from '../../shared/format/relative-time.ts'
import { listItems } from '../api/list-items.ts'
import { defineCommand } from '../command-line/command.ts'
import { confirm } from '../output/prompt.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { pickById } from '../targets/pick-by-id.ts'
import { ENVIRONMENT_FILTER, SERVER_ARGUMENT, serverOption } from '../targets/server-arguments.ts'

const LIMIT = 1000

export const list = defineCommand({
  name: 'grants',
  description:
    'List the sign-in grants of a server, newest first: which user let which client use the server, with which scopes, and until when.',
  arguments: {
    server: SERVER_ARGUMENT,
  },
  options: {
    env: ENVIRONMENT_FILTER,
    user: { type: 'string', value: 'subject', doc: 'only grants of this user, such as "github|42"' },
    client: { type: 'string', value: 'id', doc: 'only grants to this client' },
  },
  examples: {
    'mcp grants weather': 'in all environments',
    "mcp grants weather --user 'github|42'": 'of one user',
  },
  async run(context, { server, env, user, client: clientId }) {
    const { output } = context
    const api = await context.api()
    const name = server ?? (await chooseServer(context))
    const query = { environment: env, subject: user, clientId, limit: LIMIT }
    const grants = await listItems<SignInGrant>(api, pathOf(name), query)
    output.result({ name, items: grants }, () => {
      const rows = grants.map(grant => [
        grant.id,
        grant.subject,
        grant.clientName ?? grant.clientId,
        grant.environment,
        grant.scopes.join(' '),
        formatElapsed(grant.issuedAt),
        grant.lastRefreshedAt ? formatElapsed(grant.lastRefreshedAt) : 'never',
        grant.expiresAt.slice(0, 10),
      ])
      output.table(
        ['ID', 'USER', 'CLIENT', 'ENVIRONMENT', 'SCOPES', 'AGE', 'LAST REFRESH', 'EXPIRES'],
        rows,
        `${name} has no sign-in grants.`,
      )
      if (grants[0])
        output.next({
          description: 'Revoke a grant',
          command: `mcp grants revoke ${grants[0].id} --server ${name}`,
        })
    })
  },
})

export const revoke = defineCommand({
  name: 'grants revoke',
  description:
    'Revoke a grant. Its refresh token and access tokens are refused immediately. Running requests and open streams continue. End them with mcp sessions end.',
  arguments: { id: { required: true, doc: 'grant id or unique prefix' } },
  options: {
    server: serverOption('mcp grants'),
  },
  examples: { 'mcp grants revoke p0Zt3qGm --server weather --yes': 'without confirmation' },
  async run(context, { id, server }) {
    const { output } = context
    const api = await context.api()
    const name = server ?? (await chooseServer(context, { argument: '--server' }))
    const grants = await listItems<SignInGrant>(api, pathOf(name), { limit: LIMIT })
    const grant = pickById(grants, id, { what: 'grant', list: `mcp grants ${name}` })
    const client = grant.clientName ?? grant.clientId
    await confirm(context, {
      question: `Revoke the access of ${grant.subject} to ${name} through ${client}?`,
      action: `Revoking the access of ${grant.subject} to ${name} through ${client}`,
    })
    await api.delete(`${pathOf(name)}/${grant.id}`)
    output.result({ revoked: grant.id }, () => output.line(`Revoked the access of ${grant.subject}`))
  },
})

function pathOf(server: string): string {
  return `/api/servers/${encodeURIComponent(server)}/grants`
}
