import { existsSync } from 'node:fs'
import { AUTH_PROVIDERS, type AuthProvider } from '../../shared/auth-providers.ts'
import type { DeployConfig } from '../../shared/deploy-config.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { ENVIRONMENTS, type Environment } from '../../shared/states.ts'
import { buildServer, reportFailedBuild } from '../build-server.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
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
import {
  imageProject,
  PROGRAM_OPTIONS,
  type ProgramInput,
  programProject,
  withEnvVars,
} from '../program-project.ts'
import { loadProject, type Project } from '../project.ts'
import { requiredRate, requireTest } from '../required-test.ts'
import { findBuild } from '../resolve-id.ts'
import { checkSurface } from '../surface-check.ts'

export default defineCommand({
  name: 'deploy',
  summary: 'deploy a project or a built server to an environment',
  description:
    'Builds the project in a folder and deploys it, or deploys a server that is built already. Its address stays the same over all releases to an environment.',
  arguments: {
    target: {
      doc: "a project's folder or file, an mcp_id, or a server's name (its newest build)",
      default: '.',
    },
  },
  options: {
    env: {
      type: 'string',
      value: 'environment',
      choices: ENVIRONMENTS,
      default: 'development',
      doc: 'where to deploy',
    },
    domain: { type: 'string', value: 'host', doc: 'custom domain' },
    min: { type: 'integer', value: 'instances', doc: 'fewest instances (0: none while idle)' },
    max: { type: 'integer', value: 'instances', doc: 'most instances' },
    set: {
      type: 'list',
      value: 'KEY=VALUE',
      doc: 'environment variable; KEY alone takes its value from here',
    },
    envFile: { type: 'list', value: 'file', doc: 'file of environment variables' },
    auth: {
      type: 'string',
      value: 'provider',
      choices: [...AUTH_PROVIDERS, 'none'],
      doc: 'only users who sign in with this provider (local: with an API key of the daemon)',
    },
    image: {
      type: 'string',
      value: 'ref',
      isValueOptional: true,
      doc: 'run it from its image in a container, or host an image that serves MCP on $PORT',
    },
    network: NETWORK_OPTION,
    memory: {
      type: 'integer',
      value: 'MB',
      doc: 'memory of an instance (default: 512, of processes outside of production 384)',
    },
    cpus: {
      type: 'number',
      value: 'count',
      doc: 'processors of a container or a program, such as 0.5 (default: no limit)',
    },
    pids: {
      type: 'integer',
      value: 'count',
      doc: 'processes and threads of a container (default: 256) or a program (512)',
    },
    ...PROGRAM_OPTIONS,
    allowBreaking: {
      type: 'boolean',
      doc: 'release to production although clients of the version before may break',
    },
    requireTest: {
      type: 'string',
      value: 'share',
      doc: "release only when so many cases of the project's suite pass, such as 0.9",
    },
    wait: { type: 'boolean', default: true, doc: 'return at once instead of when it is deployed' },
  },
  examples: [
    { command: 'mcp deploy', does: 'this project, to development' },
    { command: 'mcp deploy --env production --min 2 --max 8', does: 'with two to eight instances' },
    {
      command: "mcp deploy --command 'npx -y @modelcontextprotocol/server-everything'",
      does: 'a server that exists',
    },
    { command: 'mcp deploy --image --memory 256', does: 'from its image, by podman or docker' },
    { command: 'mcp deploy --image ghcr.io/team/weather:1.2', does: 'an image that exists' },
    { command: 'mcp deploy --env production --require-test 0.9', does: 'when its suite passes' },
    { command: 'mcp deploy --network api.github.com:443', does: 'its code reaches this host only' },
    { command: 'mcp deploy --auth local', does: 'clients sign their user in first' },
    { command: 'mcp deploy mcp_4h7k --set API_TOKEN', does: 'a built server, a secret from this shell' },
  ],
  async run(context, given): Promise<ExitCode | undefined> {
    const { output } = context
    const input = withImage(given)
    const source = await openTarget(context, input, readEnvVars(input.envFile, input.set, context.env))
    if ('exitCode' in source) return source.exitCode
    const { name, mcp_id, env_vars } = source
    const config = mergeConfig(source.config, {
      domain: input.domain,
      min: input.min,
      max: input.max,
      env_vars,
      network: input.network,
      image: input.image,
      memory: input.memory,
      cpus: input.cpus,
      pids: input.pids,
    })
    const release = {
      mcp_id,
      name,
      environment: input.env,
      target: isPlain(input) ? input.target : undefined,
    }
    const checked = await checkSurface(context, release, input.allowBreaking)
    const rate = requiredRate(input.requireTest, source.project)
    if (rate !== undefined) {
      const refused = await requireTest(context, { mcpId: mcp_id, name }, { rate, project: source.project })
      if (refused !== undefined) return refused
    }
    const request = { mcp_id, environment: input.env, ...(config ? { config } : {}), ...checked }
    const record = await deployServer(context, request, { name, wait: input.wait })
    const { isContractOnly } = await context.api()
    output.result(record, () => {
      if (record.status === 'failed') return
      const time = record.status === 'deployed' ? ` in ${formatDurationMs(record.deploy_time * 1000)}` : ''
      output.line(`${record.status === 'deployed' ? 'Deployed' : 'Deploying'} ${name} to ${input.env}${time}`)
      output.fields({
        id: record.deployment_id,
        url: record.url,
        health: record.health_check,
        ...signInFields(record),
      })
      for (const warning of record.warnings ?? []) output.warn(warning)
      // An API without lists need not know where a deployment answers.
      const reference = isContractOnly ? record.url : record.deployment_id
      output.next(
        { description: 'See its tools', command: `mcp tools ${reference}` },
        {
          description: 'Connect a client',
          command: `mcp connect ${reference} --client claude-code`,
        },
      )
    })
    output.warnOf(record)
    if (record.status === 'failed') return reportFailedDeployment(context, record, name)
  },
})

/** Nothing was asked for but a target and an environment. */
function isPlain(options: DeployOptions): boolean {
  const { domain, min, max, set, envFile, command, auth, image, network, memory, cpus, pids } = options
  return (
    [domain, min, max, command, auth, image, network, memory, cpus, pids].every(
      value => value === undefined,
    ) && [...set, ...envFile].length === 0
  )
}

interface DeployOptions extends ProgramInput {
  domain: string | undefined
  min: number | undefined
  max: number | undefined
  auth: string | undefined
  image: string | undefined
  network: string | undefined
  memory: number | undefined
  cpus: number | undefined
  pids: number | undefined
  set: readonly string[]
  envFile: readonly string[]
}

interface Source {
  mcp_id: string
  name: string
  config: DeployConfig | undefined
  /** Those of the command line that the server gets. */
  env_vars: Record<string, string>
  /** What was built; undefined for a build that was named. */
  project?: Project
}

type TargetOptions = ProgramInput & {
  target: string
  env: Environment
  auth: AuthProvider | 'none' | undefined
  image: string | undefined
}

/** The word after `--image` is a project where there is one of that name: `mcp deploy --image examples/weather`. */
function withImage<T extends { target: string; image: string | undefined }>(input: T): T {
  const { target, image } = input
  return image && target === '.' && existsSync(image) ? { ...input, target: image, image: '' } : input
}

/** An image of somebody's. Throws INVALID_REQUEST when a command is to be hosted as well. */
function namedImage(input: TargetOptions): Project | undefined {
  const { image, target, command } = input
  if (!image || target !== '.') return undefined
  if (command === undefined) return imageProject(image, input)
  throw new HostingError('INVALID_REQUEST', '--image and --command both say what to host: give one of them.')
}

/** What exists as a path is a project and is built first; anything else names a build. */
async function openTarget(
  context: CommandContext,
  input: TargetOptions,
  given: Record<string, string>,
): Promise<Source | { exitCode: ExitCode }> {
  const { target, auth: flag } = input
  const { env } = context
  const program = namedImage(input) ?? programProject(input)
  if (!program && !existsSync(target)) {
    const chosen = chooseAuth({ base: undefined, flag, envVars: given, env })
    const build = await findBuild(await context.api(), target)
    const config = chosen.auth && { auth: chosen.auth }
    return { mcp_id: build?.mcp_id ?? target, name: build?.name ?? target, config, env_vars: chosen.envVars }
  }
  const project = program ?? (await loadProject(target))
  const { auth: base, ...config } = project.deploy[input.env] ?? {}
  const { auth, envVars } = chooseAuth({ base, flag, envVars: given, env })
  const record = await buildServer(context, withEnvVars(project, envVars))
  if (record.status === 'failed') return { exitCode: await reportFailedBuild(context, record, project) }
  return {
    mcp_id: record.mcp_id,
    name: project.request.name,
    config: { ...config, ...(auth && { auth }) },
    env_vars: envVars,
    project,
  }
}

/** What the identity provider must be told. */
function signInFields({ sign_in }: Deployed): Record<string, string> {
  return sign_in ? { 'sign-in': sign_in.issuer, callback: sign_in.callback_url } : {}
}
