import { counted } from '../../shared/counted.ts'
import { currentDeployments } from '../../shared/current-deployments.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command-line/command.ts'
import type { Output } from '../output/output.ts'
import { byServerAndEnvironment } from '../output/tables/deployment-table.ts'
import { buildRow, deploymentRow, SERVER_COLUMNS, type ServerRow } from '../output/tables/server-rows.ts'
import { type BuildEntry, type DeploymentEntry, listBuilds, listDeployments } from '../targets/resolve-id.ts'

export default defineCommand({
  name: 'list',
  description:
    'List every server with its newest build (its preview) and the current deployment of each environment. Failed builds, and deployments that failed before they served, are hidden. --json always includes everything: {builds, deployments}.',
  options: { all: { type: 'boolean', short: 'a', doc: 'include older and failed builds and deployments' } },
  examples: {
    'mcp list': 'current builds and deployments',
    'mcp list --all': 'including older and failed ones',
  },
  async run({ output, api }, { all }) {
    const client = await api()
    const [builds, deployments] = await Promise.all([listBuilds(client, {}), listDeployments(client, {})])
    if (builds === undefined && deployments === undefined)
      throw new HostingError('METHOD_NOT_ALLOWED', 'This API does not list builds and deployments.', {
        next: [{ description: 'Show one deployment', command: 'mcp status <deployment id>' }],
      })
    const everything = { builds: builds ?? [], deployments: deployments ?? [] }
    output.result(everything, () => printServers(output, everything, all ?? false))
  },
})

interface Contents {
  builds: readonly BuildEntry[]
  deployments: readonly DeploymentEntry[]
}

function printServers(output: Output, everything: Contents, all: boolean): void {
  const rows = toRows(all ? everything : currentOf(everything))
  // With `all`, several rows may share a URL, so the id distinguishes them.
  const columns = SERVER_COLUMNS.filter(([header]) => header !== (all ? 'URL' : 'ID')).filter(
    ([header, cell]) => header === 'URL' || rows.some(row => cell(row) !== ''),
  )
  output.table(
    columns.map(([header]) => header),
    rows.map(row => columns.map(([, cell]) => cell(row))),
    'No servers yet.',
  )
  const hidden = all ? '' : describeHidden(everything)
  if (hidden) output.line(`Hidden: ${hidden}`)
  const usable = rows.find(({ isUsable }) => isUsable)
  output.next(
    ...(hidden ? [{ description: 'Show what is hidden', command: 'mcp list --all' }] : []),
    ...(usable ? [{ description: 'List the tools of a server', command: `mcp tools ${usable.server}` }] : []),
    ...(rows.length > 0 ? [] : FIRST_STEPS),
  )
}

const FIRST_STEPS = [
  { description: 'Create a project', command: 'mcp init' },
  { description: 'Try an example', command: 'mcp init weather --example weather' },
]

/** `2 failed builds, 1 failed deployment`. Empty if no failures are hidden. */
function describeHidden({ builds, deployments }: Contents): string {
  const counts = [
    [builds.filter(isFailedBuild).length, 'failed build'],
    [deployments.filter(neverServed).length, 'failed deployment'],
  ] as const
  return counts
    .filter(([count]) => count > 0)
    .map(([count, noun]) => counted(count, noun))
    .join(', ')
}

/** The newest build of each server and the current deployment of each environment, without failed attempts. */
function currentOf({ builds, deployments }: Contents): Contents {
  return {
    builds: newestPerServer(builds.filter(one => !isFailedBuild(one))),
    deployments: currentDeployments(deployments.filter(one => !neverServed(one))),
  }
}

function isFailedBuild({ status }: BuildEntry): boolean {
  return status === 'failed'
}

/** True for a deployment that failed before it served, which the table hides without `--all`. */
function neverServed({ status, deployed_at }: DeploymentEntry): boolean {
  return status === 'failed' && !deployed_at
}

function toRows({ builds, deployments }: Contents): ServerRow[] {
  const names = new Set([...deployments.map(({ name }) => name ?? ''), ...builds.map(({ name }) => name)])
  return [...names]
    .sort((a, b) => a.localeCompare(b))
    .flatMap(server => {
      const ofServer = deployments.filter(({ name }) => (name ?? '') === server)
      const ofServerBuilds = builds.filter(({ name }) => name === server)
      const served = ofServerBuilds.find(({ status }) => status === 'ready')
      return [
        ...ofServer.toSorted(byServerAndEnvironment).map(deploymentRow),
        ...ofServerBuilds.map(build => buildRow(build, { isServed: build === served })),
      ]
    })
}

/** Expects the newest build first. */
function newestPerServer(builds: readonly BuildEntry[]): BuildEntry[] {
  const newest = new Map<string, BuildEntry>()
  for (const build of builds) if (!newest.has(build.name)) newest.set(build.name, build)
  return [...newest.values()]
}
