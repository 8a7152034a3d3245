import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { HostingError } from '../../shared/errors.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import { releaseTable } from '../output/tables/release-table.ts'
import { chooseServer } from '../pickers/choose-server.ts'
import { listReleases } from '../targets/releases.ts'
import { unknownServer } from '../targets/resolve-id.ts'
import { ENVIRONMENT_FILTER, SERVER_ARGUMENT } from '../targets/server-arguments.ts'

const DEFAULT_LIMIT = 20

export default defineCommand({
  name: 'releases',
  description:
    'List the releases of a server by environment, newest first: version, age, author, message, requests since the release, changes for clients, result of the required tests, git commit and digest.',
  arguments: {
    server: SERVER_ARGUMENT,
  },
  options: {
    env: ENVIRONMENT_FILTER,
    limit: {
      type: 'integer',
      short: 'n',
      value: 'count',
      default: DEFAULT_LIMIT,
      doc: 'number of releases per environment',
    },
  },
  examples: {
    'mcp releases weather': 'in all environments',
    'mcp releases weather --env production -n 5': 'the newest five in production',
    'mcp rollback weather --env production --to 3': 'return to version 3',
  },
  async run(context, { server, env, limit }) {
    const { output, api } = context
    if (limit < 1) throw new HostingError('INVALID_REQUEST', `--limit is ${limit}, expected at least 1.`)
    const client = await api()
    const name = server ?? (await chooseServer(context))
    const wanted = env === undefined ? ENVIRONMENTS : [env]
    const lists = await Promise.all(
      wanted.map(environment => listReleases(client, name, { environment, limit })),
    ).catch(error => explain(client, name, error))
    const filled = lists.filter(({ length }) => length > 0)
    output.result({ name, items: lists.flat() }, () => {
      if (filled.length === 0) output.line(`${name} has no releases${env ? ` in ${env}` : ''}.`)
      for (const [index, releases] of filled.entries()) {
        if (index > 0) output.line()
        output.line(`${output.style.bold(name)} in ${releases[0]!.environment}`)
        releaseTable(output, releases)
      }
      const undo = filled.find(({ length }) => length > 1)?.[0]
      if (undo)
        output.next({ description: 'Go back', command: `mcp rollback ${name} --env ${undo.environment}` })
    })
  },
})

/** Suggests the nearest server name if the given one does not exist. */
async function explain(client: ApiClient, name: string, error: unknown): Promise<never> {
  const isMissing = error instanceof HostingError && error.code === 'NOT_FOUND'
  throw isMissing ? await unknownServer(client, name) : error
}
