import { existsSync } from 'node:fs'
import { AUTH_PROVIDERS } from '../../shared/contract/deployments/auth-providers.ts'
import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import type { ReleaseTest } from '../../shared/contract/deployments/releases.ts'
import { ENVIRONMENTS } from '../../shared/contract/states.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import type { HostingError } from '../../shared/errors.ts'
import { quoteShellWord } from '../../shared/shell-words.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import type { Input } from '../command-line/declaration.ts'
import type { ExitCode } from '../command-line/exit-codes.ts'
import { completeCommand } from '../output/repeated-command.ts'
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
import { PROGRAM_OPTIONS, programProject, withEnvVars } from '../project/program-project.ts'
import { loadProject, type Project } from '../project/project.ts'
import { MESSAGE_OPTION, releaseNotes } from '../project/release-notes.ts'
import { requiredRate, requireTest } from '../project/required-test.ts'
import { checkScalingFlags } from '../project/scaling-flags.ts'
import { checkSurface } from '../project/surface-check.ts'
import { findBuild, listDeployments } from '../targets/resolve-id.ts'
import { readEnvVars, SAVE_OPTION, VARIABLE_OPTIONS } from '../variables/given-variables.ts'
import { placeVariables, printStored, requireVariables } from '../variables/place-variables.ts'

const ARGUMENTS = {
  target: {
    kind: 'server',
    doc: 'project folder or file, mcp_id, or server name (its newest build)',
    default: '.',
  },
} as const

const OPTIONS = {
  env: {
    type: 'string',
    value: 'environment',
    choices: ENVIRONMENTS,
    default: 'development',
    doc: 'environment to deploy to',
  },
  domain: { type: 'string', value: 'host', doc: 'custom domain' },
  min: { type: 'integer', value: 'instances', doc: 'minimum number of instances (0: none while idle)' },
  max: { type: 'integer', value: 'instances', doc: 'maximum number of instances' },
  ...VARIABLE_OPTIONS,
  save: SAVE_OPTION,
  auth: {
    type: 'string',
    value: 'provider',
    choices: [...AUTH_PROVIDERS, 'none'],
    doc: 'require users to sign in with this provider (local: with an API key for the daemon)',
  },
  image: {
    type: 'string',
    value: 'ref',
    isValueOptional: true,
    doc: 'run the server from its container image, or host an existing image that serves MCP over stdio or on $PORT',
  },
  origin: ORIGIN_OPTION,
  network: NETWORK_OPTION,
  memory: {
    type: 'integer',
    value: 'MB',
    doc: 'memory limit per instance (default: 512, or 384 for processes outside production)',
  },
  cpus: {
    type: 'number',
    value: 'count',
    doc: 'processor limit per container or program, such as 0.5 (default: none)',
  },
  pids: {
    type: 'integer',
    value: 'count',
    doc: 'limit on processes and threads in a container (default: 256) or a program (512)',
  },
  ...PROGRAM_OPTIONS,
  allowBreaking: {
    type: 'boolean',
    doc: 'release to production even if clients of the previous version may break',
  },
  requireTest: {
    type: 'string',
    value: 'share',
    doc: "release only if this share of the project's suite passes, such as 0.9",
  },
  message: MESSAGE_OPTION,
  wait: { type: 'boolean', default: true, doc: 'return before the deployment is finished' },
} as const

type DeployInput = Input<typeof ARGUMENTS, typeof OPTIONS>

export default defineCommand({
  name: 'deploy',
  description:
    'Build and deploy the project in a folder, or deploy a server that is already built. All releases to an environment have the same URL. A server that is already built keeps the configuration of its live or newest deployment in the environment, except for what the options change.',
  arguments: ARGUMENTS,
  options: OPTIONS,
  examples: {
    'mcp deploy': 'this project, to development',
    'mcp deploy --env production --min 2 --max 8': 'with two to eight instances',
    "mcp deploy --command 'npx -y @modelcontextprotocol/server-everything'": 'an existing server',
    'mcp deploy --image --memory 256': 'from its image, with podman or docker',
    'mcp deploy --image ghcr.io/team/weather:1.2': 'an existing image',
    'mcp deploy --env production --require-test 0.9': 'if its suite passes',
    "mcp deploy --env production -m 'Greet in French'": 'with a message for mcp releases',
    'mcp deploy --network api.github.com:443': 'restrict its network access to this host',
    'mcp deploy --origin https://app.example.com': 'let this web page use it',
    'mcp deploy --auth local': 'require users to sign in',
    'mcp deploy mcp_4h7k --set API_TOKEN': 'a built server, with a secret from this shell',
  },
  async run(context, given): Promise<ExitCode | undefined> {
    const { output } = context
    checkScalingFlags(given)
    const input = withImage(given)
    const source = await openTarget(context, input, readEnvVars(input.envFile, input.set, context.env))
    if ('exitCode' in source) return source.exitCode
    const { name, mcp_id } = source
    const place = { name, environment: input.env }
    const base = source.config?.env_vars
    const placed = await placeVariables(context, place, { base, given: source.env_vars, save: input.save })
    const config = mergeConfig(source.config, {
      domain: input.domain,
      min: input.min,
      max: input.max,
      env_vars: placed.env_vars,
      network: input.network,
      origin: input.origin,
      image: input.image,
      memory: input.memory,
      cpus: input.cpus,
      pids: input.pids,
    })
    const release = {
      mcp_id,
      name,
      environment: input.env,
      anyway: completeCommand(context, '--allow-breaking'),
    }
    const checked = await checkSurface(context, release, input.allowBreaking)
    const rate = requiredRate(input.requireTest, source.project)
    // The deployment would report missing variables only after the suite has run. `requireVariables` checks the newest build,
    // which is the one under test.
    if (rate !== undefined && source.project) await requireVariables(context, place, placed)
    const tested: { exitCode?: ExitCode; test?: ReleaseTest } =
      rate === undefined
        ? {}
        : await requireTest(context, { mcpId: mcp_id, name }, { rate, project: source.project })
    if (tested.exitCode !== undefined) return tested.exitCode
    const { isContractOnly } = await context.api()
    const notes = isContractOnly
      ? undefined
      : await releaseNotes({ message: input.message, project: source.project, test: tested.test })
    const { variables } = placed
    const configFrom = await keptConfig(context, source, input)
    const request = {
      mcp_id,
      environment: input.env,
      ...(configFrom !== undefined && { config_from: configFrom }),
      ...(config ? { config } : {}),
      ...(variables && { variables }),
      ...checked,
      ...(notes && { release: notes }),
    }
    const record = await deployServer(context, request, { name, wait: input.wait })
    output.result(record, () => {
      if (record.status === 'failed') return
      const time = record.status === 'deployed' ? ` in ${formatDurationMs(record.deploy_time * 1000)}` : ''
      const version = record.version === undefined ? '' : ` as version ${record.version}`
      const done = record.status === 'deployed' ? 'Deployed' : 'Deploying'
      output.line(`${done} ${name} to ${input.env}${version}${time}`)
      output.fields({
        id: record.deployment_id,
        url: record.url,
        health: record.health_check,
        ...signInFields(record),
      })
      printStored(context, name, placed)
      // An API that implements only the contract cannot resolve server names.
      const words = isContractOnly ? record.url : `${quoteShellWord(name)} --env ${input.env}`
      output.next(
        { description: 'List its tools', command: `mcp tools ${words}` },
        {
          description: 'Connect a client',
          command: `mcp connect ${words}`,
        },
      )
    })
    output.warnOf(record)
    if (record.status === 'failed') return reportFailedDeployment(context, record, name)
  },
})

interface Source {
  mcp_id: string
  name: string
  config: DeployConfig | undefined
  /** Variables from the command line for the server. */
  env_vars: Record<string, string>
  /** The project that was built. Undefined for an existing build. */
  project?: Project
}

/** Treats the word after `--image` as a project if it exists as a path: `mcp deploy --image examples/weather`. */
function withImage(input: DeployInput): DeployInput {
  const { target, image } = input
  return image && target === '.' && existsSync(image) ? { ...input, target: image, image: '' } : input
}

/** A path is a project, which is built first. Anything else names a build, because ids of a hosted API may have any form. */
async function openTarget(
  context: CommandContext,
  input: DeployInput,
  given: Record<string, string>,
): Promise<Source | { exitCode: ExitCode }> {
  const { target, auth: flag } = input
  const { env } = context
  // If a target is named, `--image` is the image that runs the target, not the server to host.
  const image = target === '.' ? input.image : undefined
  const program = programProject({ ...input, image }, env)
  if (!program && !existsSync(target) && !/[/\\]/.test(target)) {
    const chosen = chooseAuth({ base: undefined, flag, envVars: given, env })
    const build = await findBuild(await context.api(), target)
    const config = chosen.auth && { auth: chosen.auth }
    return { mcp_id: build?.mcp_id ?? target, name: build?.name ?? target, config, env_vars: chosen.envVars }
  }
  const project = program ?? (await loadProject(target))
  const { auth: base, ...config } = project.deploy[input.env] ?? {}
  const { auth, envVars } = chooseAuth({ base, flag, envVars: given, env })
  const record = await buildServer(context, withEnvVars(project, envVars, input.env))
  if (record.status === 'failed') return { exitCode: await reportFailedBuild(context, record, project) }
  return {
    mcp_id: record.mcp_id,
    name: project.request.name,
    config: { ...config, ...(auth && { auth }) },
    env_vars: envVars,
    project,
  }
}

/**
 * Id of the deployment whose configuration a build without a project keeps: the live one, otherwise the newest. Without that
 * configuration, a release would drop the sign-in and the limits.
 */
async function keptConfig(
  context: CommandContext,
  { name, project }: Source,
  { env: environment, auth }: DeployInput,
): Promise<string | undefined> {
  const api = await context.api()
  // A project has its configuration in its file. With `--auth none`, nothing is kept, because a kept sign-in cannot be removed.
  if (project || auth === 'none' || api.isContractOnly) return undefined
  try {
    const all = (await listDeployments(api, { name, environment })) ?? []
    const own = all.filter(one => one.name === name)
    return (own.find(({ status }) => status === 'deployed') ?? own[0])?.deployment_id
  } catch (error) {
    if ((error as HostingError).code !== 'INSUFFICIENT_SCOPE') throw error
    context.output.warn(
      `The configuration of ${name} in ${environment} is not kept, because the API key lacks the READ scope.`,
    )
    return undefined
  }
}

/** Issuer, and the callback URL to register with it. */
function signInFields({ sign_in }: DeployResult): Record<string, string> {
  return sign_in ? { 'sign-in': sign_in.issuer, callback: sign_in.callback_url } : {}
}
