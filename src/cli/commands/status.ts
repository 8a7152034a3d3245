import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import type { HealthReport } from '../../shared/contract/monitoring/health-reports.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/contract/states.ts'
import { currentDeployments } from '../../shared/current-deployments.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatBytes, formatMemory } from '../../shared/format/metric-format.ts'
import type { ApiClient } from '../api/client.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { impliedEnvironment } from '../dev/dev-mark.ts'
import type { Output } from '../output/output.ts'
import { deploymentTable, shortId } from '../output/tables/deployment-table.ts'
import type { DeployResult } from '../project/deploy-server.ts'
import { consolePage, consoleUrl } from '../targets/console-link.ts'
import { networkText, pagesText, promiseFields } from '../targets/deployment-promises.ts'
import { summaryFields } from '../targets/deployment-summary.ts'
import { logOrHealthStep } from '../targets/log-or-health-step.ts'
import {
  type BuildEntry,
  deploymentsOfServer,
  findBuild,
  listDeployments,
  referTo,
  resolveDeployment,
} from '../targets/resolve-id.ts'

const DEFAULT_INTERVAL_MS = 2000

export default defineCommand({
  name: 'status',
  arguments: { id: { kind: 'server', doc: 'deployment id or unique prefix, or server name' } },
  options: {
    env: {
      type: 'string',
      value: 'environment',
      choices: ENVIRONMENTS,
      doc: 'only this environment',
    },
    health: {
      type: 'boolean',
      doc: 'show checks, requests and latencies; exits with 1 if a deployment is unhealthy',
    },
    watch: {
      type: 'boolean',
      short: 'w',
      doc: 'show requests, errors, latencies, instances and memory, until Ctrl-C',
    },
    interval: { type: 'duration', doc: 'refresh interval of --watch (default: 2s)' },
  },
  examples: {
    'mcp status': 'current deployments of all servers',
    'mcp status weather': 'all environments of a server; --json prints a list if there are several',
    'mcp status weather --env production': 'one deployment and its instances',
    'mcp status weather --health': 'its health report',
    'mcp status --watch': 'live view of all deployments',
    'mcp status dep_4h7k --json': 'the API record',
  },
  async run(context, { id, env, health, watch, interval = DEFAULT_INTERVAL_MS }) {
    if (watch) {
      const deploymentId = id && (await resolveDeployment(await context.api(), id, { environment: env }))
      const { watchStatus } = await import('../output/status-watch.ts')
      return watchStatus(context, { deploymentId, environment: env, intervalMs: interval })
    }
    if (id === undefined) {
      if (health)
        throw new HostingError(
          'INVALID_REQUEST',
          '--health requires a deployment: mcp status <deployment> --health.',
        )
      return showAll(context, env)
    }
    if (health) {
      const { ids } = await resolveAll(await context.api(), id, env)
      return (await import('../targets/deployment-health.ts')).showHealth(context, ids)
    }
    await showServer(context, id, env)
  },
})

/** Shows the deployments and the preview of a server, or one deployment. */
async function showServer(
  context: CommandContext,
  reference: string,
  environment: Environment | undefined,
): Promise<void> {
  const { output } = context
  const client = await context.api()
  const isDev = environment === undefined && impliedEnvironment(context, reference) !== undefined
  const preview = isDev ? await findBuild(client, reference) : undefined
  const { ids, isServer } = await resolveAll(client, reference, environment, preview)
  const all = await Promise.all(
    ids.map(id => client.get<DeployResult>(`/v1/deploy/${encodeURIComponent(id)}/status`)),
  )
  for (const status of all) output.warnOf(status)
  const builds = output.json ? [] : await Promise.all(all.map(one => readBuild(client, one)))
  output.result(all.length > 1 ? all : (all[0] ?? preview), () => {
    if (preview) showPreview(output, preview)
    if (preview && all.length > 0) output.line()
    for (const [index, status] of all.entries()) {
      if (index > 0) output.line()
      showOne(output, ids[index]!, status, { build: builds[index], console: consoleOf(client, status) })
    }
    if (all.length === 0) return
    const first = { ...all[0]!, deployment_id: ids[0]! }
    const target = isServer ? `${reference} --env ${first.environment}` : referTo(reference, first)
    output.next(
      first.status === 'stopped'
        ? { description: 'Start it', command: `mcp start ${target}` }
        : logOrHealthStep(client, target),
    )
  })
}

interface ResolvedDeployments {
  ids: string[]
  /** True when the reference is the name of a server. */
  isServer: boolean
}

/** The deployments of a server, only in `environment` if given, or one deployment. Empty if the server only has `preview`. */
async function resolveAll(
  client: ApiClient,
  reference: string,
  environment: Environment | undefined,
  preview?: BuildEntry,
): Promise<ResolvedDeployments> {
  const current = await deploymentsOfServer(client, reference, environment)
  const ids = current.map(({ deployment_id }) => deployment_id)
  if (ids.length > 0 || preview) return { ids, isServer: ids.length > 0 }
  return {
    ids: [await resolveDeployment(client, reference, { ...(environment && { environment }) })],
    isServer: false,
  }
}

function showPreview(output: Output, { name, mcp_id, url }: BuildEntry): void {
  output.line(`${output.style.bold(name)} is ${output.style.green('served by mcp dev')}`)
  output.fields({ build: mcp_id, url })
}

async function showAll({ output, api }: CommandContext, environment: string | undefined): Promise<undefined> {
  const client = await api()
  const deployments = await listDeployments(client, { environment })
  if (deployments === undefined)
    throw new HostingError(
      'METHOD_NOT_ALLOWED',
      'This API does not list deployments. Give a deployment id.',
      {
        next: [{ description: 'Show a deployment', command: 'mcp status <deployment id>' }],
      },
    )
  const current = currentDeployments(deployments)
  output.result(current, () => {
    deploymentTable(output, current)
    const console = consoleUrl(client)
    if (console) output.line(`\nConsole: ${output.style.cyan(console)}`)
    if (current[0])
      output.next({
        description: 'Show a deployment',
        command: `mcp status ${current[0].name ?? shortId(current[0].deployment_id)}`,
      })
    else output.next({ description: 'Deploy a server', command: 'mcp deploy' })
  })
}

/**
 * URL of the deployment's page in the console. Undefined for an API that implements only the contract, or on another machine.
 */
function consoleOf(client: ApiClient, { name, environment, promises }: DeployResult): string | undefined {
  return promises && name && environment && consoleUrl(client, consolePage(name, environment))
}

/** Undefined when the build cannot be read, for example because it was removed. */
function readBuild(api: ApiClient, { mcp_id }: Partial<DeployResult>): Promise<BuildRecord | undefined> {
  if (mcp_id === undefined) return Promise.resolve(undefined)
  return api.get<BuildRecord>(`/v1/build/${encodeURIComponent(mcp_id)}`).catch(() => undefined)
}

interface Details {
  build: BuildRecord | undefined
  /** URL of the deployment's page in the console. */
  console: string | undefined
}

function showOne(output: Output, id: string, status: DeployResult, { build, console }: Details): void {
  const { style } = output
  const where = status.environment ? ` in ${status.environment}` : ''
  output.line(`${style.bold(status.name ?? id)} is ${paintState(output, status.status)}${where}`)
  output.fields({
    id,
    build: status.mcp_id,
    url: status.url,
    health: status.health_check,
    name: status.named_urls?.find(url => url.startsWith('http:')),
    https: status.named_urls?.find(url => url.startsWith('https:')),
    console,
    ...summaryFields(status, build),
    ...promiseFields(status),
    network: networkText(status.config),
    pages: pagesText(status.config?.origins),
    store: status.store && storeText(status.store),
    stopped: status.stopped_at ?? undefined,
    error: status.error ? `${status.error.code}: ${status.error.message}` : undefined,
  })
  for (const gap of status.isolation?.gaps ?? []) output.line(`${style.yellow('warning')} its code ${gap}`)
  for (const warning of status.warnings ?? []) output.line(`${style.yellow('warning')} ${warning}`)
  if (status.instances?.length) {
    output.line()
    output.table(...instanceTable(status.instances))
    for (const { id: instance, lastFailure } of status.instances)
      if (lastFailure) output.line(`${style.yellow('restarted')} ${instance}: its predecessor ${lastFailure}`)
  }
  if (status.status === 'deployed' && status.instances?.length === 0) {
    output.line()
    output.line('Asleep. The next request wakes it.')
  }
}

function storeText({ entries, bytes, limit_bytes }: NonNullable<DeployResult['store']>): string {
  return `${entries} entries, ${formatBytes(bytes)} of ${formatBytes(limit_bytes)}`
}

function paintState({ style }: Output, state: string): string {
  if (state === 'deployed' || state === 'ready' || state === 'healthy') return style.green(state)
  return state === 'failed' || state === 'unhealthy' ? style.red(state) : style.yellow(state)
}

function instanceTable(instances: HealthReport['instances']): [string[], string[][]] {
  const rows = instances.map(one => [
    one.id,
    one.state,
    one.pid === null ? '' : String(one.pid),
    formatDurationMs(one.uptimeSeconds * 1000),
    String(one.restarts),
    one.memoryBytes > 0 ? formatMemory(one.memoryBytes) : '',
    String(one.activeRequests),
  ])
  return [['INSTANCE', 'STATE', 'PID', 'UP', 'RESTARTS', 'MEMORY', 'ACTIVE'], rows]
}
