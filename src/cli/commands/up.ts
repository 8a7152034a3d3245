import type { CallToolResult } from '@modelcontextprotocol/client'
import type { BuildRecord } from '../../shared/builds.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { buildServer, reportFailedBuild } from '../build-server.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { contentToText } from '../content.ts'
import {
  type Deployed,
  deployServer,
  mergeConfig,
  NETWORK_OPTION,
  reportFailedDeployment,
} from '../deploy-server.ts'
import { chooseAuth } from '../deployment-auth.ts'
import { readEnvVars } from '../env-vars.ts'
import type { ExitCode } from '../exit-codes.ts'
import { PROGRAM_OPTIONS, programProject, withEnvVars } from '../program-project.ts'
import { loadProject, type Project } from '../project.ts'
import { pickSampleCall, type SampleCall } from '../sample-call.ts'

export default defineCommand({
  name: 'up',
  summary: 'build, deploy to development and call a tool, in one go',
  description:
    'The whole job: starts the daemon when it does not run, builds the project, deploys it to development, lists its tools through a real MCP client, calls one that changes nothing, and prints the URL and what to give an MCP client.',
  arguments: { dir: { doc: 'folder of the project, or its file', default: '.' } },
  options: {
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'environment variable; KEY alone takes its value from here',
    },
    network: NETWORK_OPTION,
    ...PROGRAM_OPTIONS,
    envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
  },
  examples: [
    { command: 'mcp up', does: 'the project in this folder' },
    {
      command: 'mcp up examples/weather --json',
      does: '{mcp_id, deployment_id, url, health_check, tools, call}',
    },
  ],
  async run(context, input): Promise<ExitCode | undefined> {
    const { dir, set, envFile } = input
    const given = readEnvVars(envFile, set, context.env)
    const project = programProject(input) ?? (await loadProject(dir))
    const { auth: base, ...development } = project.deploy.development ?? {}
    const { auth, envVars: env_vars } = chooseAuth({
      base,
      flag: undefined,
      envVars: given,
      env: context.env,
    })
    const { name } = project.request
    const build = await buildServer(context, withEnvVars(project, env_vars))
    if (build.status === 'failed') return reportFailedBuild(context, build, project)
    sayBuilt(context, name, build)
    context.output.warnOf(build)
    const config = mergeConfig(
      { ...development, ...(auth && { auth }) },
      { env_vars, network: input.network },
    )
    const request = {
      mcp_id: build.mcp_id,
      environment: 'development' as const,
      ...(config ? { config } : {}),
    }
    const deployment = await deployServer(context, request, { name, wait: true })
    if (deployment.status === 'failed') return reportFailedDeployment(context, deployment, name)
    sayDeployed(context, deployment)
    context.output.warnOf(deployment)
    const isolation = project.request.template === 'custom' && (await readIsolation(context, deployment))
    // Where users sign in, the preview of the same build answers without.
    const tried = await tryOut(context, auth ? build.url : deployment.url, project)
    report(context, name, { build, deployment, isolation, tried })
  },
})

/** Undefined where the server runs no code, or the API does not report it. */
async function readIsolation(
  context: CommandContext,
  { deployment_id }: Deployed,
): Promise<Deployed['isolation']> {
  const api = await context.api()
  const status = await api.get<Deployed>(`/v1/deploy/${encodeURIComponent(deployment_id)}/status`)
  return status.isolation
}

interface Tried {
  tools: string[]
  /** Null when no tool is known to change nothing. */
  call: (SampleCall & { is_error: boolean; result: CallToolResult }) | null
  ms: number
}

/** What any client will do with the URL: connect, list the tools, call one. */
async function tryOut(context: CommandContext, url: string, { request }: Project): Promise<Tried> {
  const { callTool, listTools, withServer } = await import('../mcp-client.ts')
  const { globals, signal, output } = context
  const options = { timeoutMs: globals.timeout, signal }
  return output.progress(`Calling ${request.name}`, () =>
    withServer(url, options, async connection => {
      const listed = await listTools(connection)
      const tools = listed.map(tool => tool.name)
      const sample = pickSampleCall(listed, request)
      if (!sample) return { tools, call: null, ms: 0 }
      const startedAt = performance.now()
      const result = await callTool(connection, sample.tool, sample.arguments, options)
      const ms = performance.now() - startedAt
      return { tools, call: { ...sample, is_error: result.isError === true, result }, ms }
    }),
  )
}

function sayBuilt({ output }: CommandContext, name: string, { build_time, mcp_id }: BuildRecord): void {
  if (!output.json) output.line(`Built ${name} in ${formatDurationMs((build_time ?? 0) * 1000)} (${mcp_id})`)
}

function sayDeployed(
  { output }: CommandContext,
  { deploy_time, deployment_id, warnings = [] }: Deployed,
): void {
  if (!output.json)
    output.line(
      `Deployed it to development in ${formatDurationMs((deploy_time ?? 0) * 1000)} (${deployment_id})`,
    )
  for (const warning of warnings) output.warn(warning)
}

interface Result {
  build: BuildRecord
  deployment: Deployed
  isolation: Deployed['isolation'] | false
  tried: Tried
}

function report(
  { output }: CommandContext,
  name: string,
  { build, deployment, isolation, tried }: Result,
): void {
  const { deployment_id, url, health_check } = deployment
  const { tools, call, ms } = tried
  const { mcp_id } = build
  // An API that knows no more than the contract finds no server by its name.
  const knowsNames = build.template !== undefined
  const reference = knowsNames ? name : url
  const known = { mcp_id, deployment_id, url, health_check, ...(isolation && { isolation }), tools, call }
  output.result(known, () => {
    for (const gap of isolation ? isolation.gaps : [])
      output.line(`${output.style.yellow('Warning:')} its code ${gap}`)
    output.line(`Listed its tools: ${tools.join(', ') || 'none'}`)
    if (call) {
      output.line(`Called ${call.tool} ${JSON.stringify(call.arguments)} in ${formatDurationMs(ms)}:`)
      for (const line of shorten(contentToText(call.result.content))) output.line(`  ${line}`)
    }
    output.line()
    output.line(`${output.style.bold(name)} runs at ${output.style.cyan(url)}`)
    output.line()
    output.line('Give it to an MCP client:')
    for (const line of snippet(name, url)) output.line(`  ${line}`)
    output.next(
      { description: 'Or have it written', command: `mcp connect ${reference} --client claude-code` },
      callToType(reference, call),
      knowsNames
        ? { description: 'Watch its log', command: `mcp logs ${name} -f` }
        : { description: 'See its health', command: `mcp status ${deployment_id} --health` },
    )
  })
}

/** The call that was made, as one would type it; the list of tools where there was none, or its values need quoting. */
function callToType(name: string, call: SampleCall | null): { description: string; command: string } {
  const pairs = Object.entries(call?.arguments ?? {})
  const isPlain = pairs.every(([key, value]) => /^[\w.-]+$/.test(key) && /^[\w.-]+$/.test(String(value)))
  if (!call || !isPlain) return { description: 'See its tools', command: `mcp tools ${name}` }
  const words = ['mcp call', name, call.tool, ...pairs.map(([key, value]) => `${key}=${value}`)]
  return { description: 'Call a tool', command: words.join(' ') }
}

const SHOWN_LINES = 12

function shorten(text: string): string[] {
  const lines = text.split('\n')
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), '…'] : lines
}

/** The form that most clients read; `mcp connect` knows how each one differs. */
function snippet(name: string, url: string): string[] {
  return JSON.stringify({ mcpServers: { [name]: { type: 'http', url } } }, null, 2).split('\n')
}
