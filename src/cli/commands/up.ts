import { existsSync } from 'node:fs'
import type { CallToolResult } from '@modelcontextprotocol/client'
import type { BuildRecord } from '../../shared/contract/builds/builds.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { SERVER_NAME } from '../../shared/names.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { resultToText } from '../output/content.ts'
import { countsToText } from '../output/counts.ts'
import { buildServer, reportFailedBuild } from '../project/build-server.ts'
import {
  type DeployResult,
  deployServer,
  mergeConfig,
  NETWORK_OPTION,
  ORIGIN_OPTION,
  reportFailedDeployment,
} from '../project/deploy-server.ts'
import { chooseAuth } from '../project/deployment-auth.ts'
import {
  PROGRAM_OPTIONS,
  type ProgramInput,
  programProject,
  projectOf,
  withEnvVars,
} from '../project/program-project.ts'
import { loadProject, type Project } from '../project/project.ts'
import { MESSAGE_OPTION, releaseNotes } from '../project/release-notes.ts'
import { consolePage, signInUrl } from '../targets/console-link.ts'
import { findBuild } from '../targets/resolve-id.ts'
import { pickSampleCall, type SampleCall } from '../testing/sample-call.ts'
import { readEnvVars, SAVE_OPTION, VARIABLE_OPTIONS } from '../variables/given-variables.ts'
import { placeVariables, printStored } from '../variables/place-variables.ts'

export default defineCommand({
  name: 'up',
  description:
    'Start the daemon if necessary, build the project, deploy it to development, list the tools of the server with an MCP client and call a read-only tool. Prints the URL and the configuration for MCP clients.',
  arguments: {
    dir: {
      kind: 'server',
      doc: 'folder of the project, its file, or the name of a built server',
      default: '.',
    },
  },
  options: {
    ...VARIABLE_OPTIONS,
    save: SAVE_OPTION,
    image: {
      type: 'string',
      value: 'ref',
      doc: 'host an existing container image that serves MCP over stdio or on $PORT',
    },
    origin: ORIGIN_OPTION,
    network: NETWORK_OPTION,
    ...PROGRAM_OPTIONS,
    message: MESSAGE_OPTION,
  },
  examples: {
    'mcp up': 'the project in this folder',
    'mcp up weather': 'the project in ./weather, or the newest build of the server',
    'mcp up --image mcp/time': 'an existing image',
    'mcp up --json': '{mcp_id, deployment_id, url, health_check, tools, call}',
  },
  async run(context, input): Promise<ExitCode | undefined> {
    const { set, envFile } = input
    const given = readEnvVars(envFile, set, context.env)
    const found = await findTarget(context, input)
    const { project } = found
    const { auth: base, ...development } = project.deploy.development ?? {}
    const { auth, envVars } = chooseAuth({
      base,
      flag: undefined,
      envVars: given,
      env: context.env,
    })
    const { name } = project.request
    const reading = releaseNotes({ message: input.message, project: found.build ? undefined : project })
    const build = found.build ?? (await buildServer(context, withEnvVars(project, envVars)))
    if (build.status === 'failed') return reportFailedBuild(context, build, project)
    if (!found.build) printBuilt(context, name, build)
    context.output.warnOf(build)
    const place = { name, environment: 'development' as const }
    const values = { base: development.env_vars, given: envVars, save: input.save }
    const { env_vars, variables } = await placeVariables(context, place, values)
    const config = mergeConfig(
      { ...development, ...(auth && { auth }) },
      { env_vars, network: input.network, origin: input.origin },
    )
    // An API that implements only the contract may reject the field `release`.
    const release = build.template === undefined ? undefined : await reading
    const request = {
      mcp_id: build.mcp_id,
      environment: place.environment,
      ...(config ? { config } : {}),
      ...(variables && { variables }),
      ...(release && { release }),
    }
    const deployment = await deployServer(context, request, { name, wait: true })
    if (deployment.status === 'failed') return reportFailedDeployment(context, deployment, name)
    printDeployed(context, name, deployment)
    printStored(context, name, { env_vars, ...(variables && { variables }) })
    context.output.warnOf(deployment)
    const isolation = project.request.template === 'custom' && (await readIsolation(context, deployment))
    // If users must sign in, calls the preview of the same build instead, which needs no sign-in.
    const tried = await tryServer(context, auth ? build.url : deployment.url, project)
    // An API that implements only the contract has no console.
    const console = build.template && (await signInUrl(context, consolePage(name, place.environment)))
    report(context, name, { build, deployment, isolation, tried, console })
  },
})

/** Treats a name as a built server unless it is also a path. */
async function findTarget(
  context: CommandContext,
  input: ProgramInput & { dir: string },
): Promise<{ project: Project; build?: BuildRecord }> {
  const { dir } = input
  const program = programProject(input, context.env)
  if (program) return { project: program }
  if (existsSync(dir) || !SERVER_NAME.test(dir)) return { project: await loadProject(dir) }
  const api = await context.api()
  const found = await findBuild(api, dir)
  if (!found) return { project: await loadProject(dir) }
  const build = await api.get<BuildRecord>(`/v1/build/${encodeURIComponent(found.mcp_id)}`)
  return { project: projectOf(dir, { name: build.name, template: build.template ?? 'basic' }), build }
}

/** Undefined when the server runs no code or the API reports no isolation. */
async function readIsolation(
  context: CommandContext,
  { deployment_id }: DeployResult,
): Promise<DeployResult['isolation']> {
  const api = await context.api()
  const status = await api.get<DeployResult>(`/v1/deploy/${encodeURIComponent(deployment_id)}/status`)
  return status.isolation
}

interface TrialResult {
  tools: string[]
  /** Null when no tool is known to be read-only. */
  call: (SampleCall & { is_error: boolean; result: CallToolResult }) | null
  ms: number
}

/** Acts like any client: connects, lists the tools and calls a read-only one. */
async function tryServer(context: CommandContext, url: string, { request }: Project): Promise<TrialResult> {
  const { withServer } = await import('../mcp-client/with-server.ts')
  const { globals, signal, output } = context
  const options = { timeoutMs: globals.timeout, signal }
  return output.progress(`Calling ${request.name}`, () =>
    withServer(url, options, async connection => {
      const listed = await connection.listTools()
      const tools = listed.map(tool => tool.name)
      const sample = pickSampleCall(listed, request)
      if (!sample) return { tools, call: null, ms: 0 }
      const startedAt = performance.now()
      const tool = listed.find(({ name }) => name === sample.tool)!
      const result = await connection.callTool(tool, sample.arguments)
      const ms = performance.now() - startedAt
      return { tools, call: { ...sample, is_error: result.isError === true, result }, ms }
    }),
  )
}

function printBuilt({ output }: CommandContext, name: string, { build_time, mcp_id }: BuildRecord): void {
  if (!output.json && !output.quiet)
    output.line(`Built ${name} in ${formatDurationMs((build_time ?? 0) * 1000)} (${mcp_id})`)
}

function printDeployed(
  { output }: CommandContext,
  name: string,
  { deploy_time, deployment_id }: DeployResult,
): void {
  if (!output.json && !output.quiet)
    output.line(
      `Deployed ${name} to development in ${formatDurationMs((deploy_time ?? 0) * 1000)} (${deployment_id})`,
    )
}

interface Result {
  build: BuildRecord
  deployment: DeployResult
  isolation: DeployResult['isolation'] | false
  tried: TrialResult
  /** URL of the server's page in the console. */
  console: string | undefined
}

function report(
  { output }: CommandContext,
  name: string,
  { build, deployment, isolation, tried, console }: Result,
): void {
  const { deployment_id, url, health_check } = deployment
  const { tools, call, ms } = tried
  const { mcp_id } = build
  // An API that implements only the contract does not resolve server names.
  const knowsNames = build.template !== undefined
  const reference = knowsNames ? name : url
  const warnings = [...(build.warnings ?? []), ...(deployment.warnings ?? [])]
  const known = {
    mcp_id,
    deployment_id,
    url,
    health_check,
    ...(isolation && { isolation }),
    tools,
    call,
    ...(warnings.length > 0 && { warnings }),
  }
  output.result(known, () => {
    if (output.quiet) return output.line(url)
    for (const gap of isolation ? isolation.gaps : [])
      output.line(`${output.style.yellow('Warning:')} its code ${gap}`)
    output.line(`Listed its ${count(tools, 'tool')}${tools.length > 0 ? `: ${tools.join(', ')}` : ''}`)
    const { resources = [], prompts = [] } = build
    if (resources.length + prompts.length > 0)
      output.line(`It also has ${countsToText({ resources, prompts })}.`)
    if (!call && tools.length > 0)
      output.line('No tool was called, because none is marked read-only (annotations.readOnlyHint).')
    if (call) {
      output.line(`Called ${call.tool} ${JSON.stringify(call.arguments)} in ${formatDurationMs(ms)}:`)
      for (const line of shorten(output.readable(resultToText(call.result)))) output.line(`  ${line}`)
    }
    output.line()
    output.line(`${output.style.bold(name)} is running at ${output.style.cyan(url)}`)
    if (console) output.line(`Console: ${output.style.cyan(console)}`)
    output.line()
    output.line('Configuration for MCP clients:')
    for (const line of snippet(name, url)) output.line(`  ${line}`)
    output.next(
      { description: 'Or add the server to a client', command: `mcp connect ${reference}` },
      callCommand(reference, call),
      knowsNames
        ? { description: 'Follow its log', command: `mcp logs ${name} -f` }
        : { description: 'Show its health', command: `mcp status ${deployment_id} --health` },
    )
  })
}

/** `1 tool`, `2 tools` */
function count({ length }: readonly string[], noun: string): string {
  return `${length} ${noun}${length === 1 ? '' : 's'}`
}

/** Command that repeats the call, or that lists the tools if there was no call or its values need quoting. */
function callCommand(name: string, call: SampleCall | null): { description: string; command: string } {
  const pairs = Object.entries(call?.arguments ?? {})
  const isPlain = pairs.every(([key, value]) => /^[\w.-]+$/.test(key) && /^[\w.-]+$/.test(String(value)))
  if (!call || !isPlain) return { description: 'List its tools', command: `mcp tools ${name}` }
  const words = ['mcp call', name, call.tool, ...pairs.map(([key, value]) => `${key}=${value}`)]
  return { description: 'Call a tool', command: words.join(' ') }
}

const SHOWN_LINES = 12

function shorten(text: string): string[] {
  const lines = text.split('\n')
  return lines.length > SHOWN_LINES ? [...lines.slice(0, SHOWN_LINES), '…'] : lines
}

/** The format of most clients. `mcp connect` supports the others. */
function snippet(name: string, url: string): string[] {
  return JSON.stringify({ mcpServers: { [name]: { type: 'http', url } } }, null, 2).split('\n')
}
