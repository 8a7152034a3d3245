import type { RemovedSignInClient, SignInClient } from '../../shared/contract/access/sign-ins.ts'
import { counted } from '../../shared/counted.ts'
import { formatElapsed } from '../../shared/format/relative-time.ts'
import { listItems } from '../api/list-items.ts'
import { defineCommand } from '../command-line/command.ts'
import { confirm } from '../output/prompt.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { pickById } from '../targets/pick-by-id.ts'
import { ENVIRONMENT_FILTER, SERVER_ARGUMENT, serverOption } from '../targets/server-arguments.ts'

export const list = defineCommand({
  name: 'clients',
  description:
    'List the sign-in clients of a server: how each client identified itself, where it redirects users after sign-in, and its grants.',
  arguments: {
    server: SERVER_ARGUMENT,
  },
  options: { env: ENVIRONMENT_FILTER },
  examples: { 'mcp clients weather': 'in all environments' },
  async run(context, { server, env }) {
    const { output } = context
    const api = await context.api()
    const name = server ?? (await chooseServer(context))
    const clients = await listClients(api, name, env)
    output.result({ name, items: clients }, () => {
      const rows = clients.map(client => [
        client.id,
        client.name ?? '',
        client.environment,
        client.kind,
        client.redirectHosts.join(', '),
        client.createdAt ? formatElapsed(client.createdAt) : '',
        client.lastUsedAt ? formatElapsed(client.lastUsedAt) : 'never',
        String(client.grants),
      ])
      output.table(
        ['ID', 'NAME', 'ENVIRONMENT', 'KIND', 'REDIRECTS TO', 'AGE', 'LAST USE', 'GRANTS'],
        rows,
        `${name} has no sign-in clients.`,
      )
    })
  },
})

export const remove = defineCommand({
  name: 'clients remove',
  description:
    'Remove a sign-in client of a server and revoke all its grants. The client can register again, and its users must then sign in again.',
  arguments: { id: { required: true, doc: 'client id or unique prefix' } },
  options: {
    server: serverOption('mcp clients'),
    env: ENVIRONMENT_FILTER,
  },
  examples: { 'mcp clients remove Yk2nPq8s --server weather --yes': 'without confirmation' },
  async run(context, { id, server, env }) {
    const { output } = context
    const api = await context.api()
    const name = server ?? (await chooseServer(context, { argument: '--server' }))
    const clients = await listClients(api, name, env)
    const distinct = [...new Map(clients.map(client => [client.id, client])).values()]
    const client = pickById(distinct, id, { what: 'client', list: `mcp clients ${name}` })
    await confirm(context, {
      question: `Remove client ${client.name ?? client.id} of ${name} and revoke its grants?`,
      action: `Removing client ${client.name ?? client.id} of ${name} with its grants`,
    })
    const query = env === undefined ? '' : `?environment=${env}`
    const path = `${pathOf(name)}/${encodeURIComponent(client.id)}${query}`
    const { revokedGrants } = await api.delete<RemovedSignInClient>(path)
    output.result({ removed: client.id, revokedGrants }, () =>
      output.line(
        `Removed client ${client.name ?? client.id} and revoked ${counted(revokedGrants, 'grant')}`,
      ),
    )
  },
})

function listClients(
  api: Parameters<typeof listItems>[0],
  server: string,
  environment: string | undefined,
): Promise<SignInClient[]> {
  return listItems(api, pathOf(server), { environment, limit: 1000 })
}

function pathOf(server: string): string {
  return `/api/servers/${encodeURIComponent(server)}/clients`
}
