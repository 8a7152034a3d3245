import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import { byServerAndEnvironment, shortId } from '../output/deployment-table.ts'
import { formatElapsed } from '../output/relative-time.ts'
import {
  type BuildEntry,
  currentDeployments,
  type DeploymentEntry,
  listBuilds,
  listDeployments,
} from '../targets/resolve-id.ts'

export default defineCommand({
  name: 'list',
  description:
    'List every server with its newest build (its preview) and the current deployment of each environment. --json always includes everything: {builds, deployments}.',
  options: { all: { type: 'boolean', short: 'a', doc: 'include older builds and deployments' } },
  examples: {
    'mcp list': 'current builds and deployments',
    'mcp list --all': 'including older ones',
  },
  async run({ output, api }, { all }) {
    const client = await api()
    const [builds, deployments] = await Promise.all([listBuilds(client, {}), listDeployments(client, {})])
    if (builds === undefined && deployments === undefined)
      throw new HostingError('METHOD_NOT_ALLOWED', 'This API does not list builds and deployments.', {
        next: [{ description: 'Show one deployment', command: 'mcp status <deployment id>' }],
      })
    output.result({ builds: builds ?? [], deployments: deployments ?? [] }, () => {
      const rows = toRows(builds ?? [], deployments ?? [], all)
      // Older rows differ by their id, current ones have an address.
      const last = all ? 'ID' : 'URL'
      output.table(['SERVER', 'WHERE', 'VERSION', 'STATUS', 'AGE', last], rows, 'No servers yet.')
      if (rows.length > 0)
        output.next({ description: 'List the tools of one', command: `mcp tools ${rows[0]![0]}` })
      else
        output.next(
          { description: 'Create a project', command: 'mcp init' },
          { description: 'Try an example', command: 'mcp init weather --example weather' },
        )
    })
  },
})

function toRows(
  builds: readonly BuildEntry[],
  deployments: readonly DeploymentEntry[],
  all: boolean,
): string[][] {
  const rows: string[][] = []
  const shownBuilds = all ? builds : newestPerServer(builds)
  const shownDeployments = all ? deployments : currentDeployments(deployments)
  const names = new Set([
    ...shownDeployments.map(({ name }) => name ?? ''),
    ...shownBuilds.map(({ name }) => name),
  ])
  for (const server of [...names].sort((a, b) => a.localeCompare(b))) {
    const ofServer = shownDeployments.filter(({ name }) => (name ?? '') === server)
    for (const deployment of ofServer.toSorted(byServerAndEnvironment))
      rows.push(deploymentRow(server, deployment, all))
    const ofServerBuilds = shownBuilds.filter(({ name }) => name === server)
    const served = ofServerBuilds.find(({ status }) => status === 'ready')
    for (const build of ofServerBuilds)
      rows.push(buildRow(server, build, { isServed: build === served, all }))
  }
  return rows
}

function deploymentRow(server: string, deployment: DeploymentEntry, all: boolean | undefined): string[] {
  const { environment = '', version, status, created_at, deployment_id, url = '' } = deployment
  const isLive = status === 'deployed' || status === 'deploying'
  return [
    server,
    environment,
    version === undefined ? '' : `v${version}`,
    status,
    ageOf(created_at),
    all ? shortId(deployment_id) : isLive ? url : '',
  ]
}

/** Only the newest ready build answers at the preview's URL. */
function buildRow(
  server: string,
  build: BuildEntry,
  { isServed, all }: { isServed: boolean; all: boolean | undefined },
): string[] {
  const { status, created_at, digest, mcp_id, url } = build
  const where = isServed ? 'preview' : 'build'
  return [
    server,
    where,
    digest?.slice(0, 7) ?? '',
    status,
    ageOf(created_at),
    all ? shortId(mcp_id) : isServed ? url : '',
  ]
}

function ageOf(timestamp: string | undefined): string {
  return timestamp === undefined ? '' : formatElapsed(timestamp)
}

/** Expects the newest build first. */
function newestPerServer(builds: readonly BuildEntry[]): BuildEntry[] {
  const newest = new Map<string, BuildEntry>()
  for (const build of builds) if (!newest.has(build.name)) newest.set(build.name, build)
  return [...newest.values()]
}
