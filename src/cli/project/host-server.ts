import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import type { Failure } from '../../shared/contract/fields.ts'
import type { Environment } from '../../shared/contract/states.ts'
import { type ErrorCode, HostingError, type NextStep } from '../../shared/errors.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { logOrHealthStep } from '../targets/log-or-health-step.ts'
import { placeVariables } from '../variables/place-variables.ts'
import { buildServer } from './build-server.ts'
import { deployServer, mergeConfig } from './deploy-server.ts'
import type { ImportedServer } from './imported-server.ts'
import { missingFile, withEnvVars } from './program-project.ts'
import { programStep } from './program-step.ts'
import type { Project } from './project.ts'

/** Result of building and deploying an imported server. */
export interface HostedServer extends ImportedServer {
  deployment_id?: string
  url?: string
  /** Undefined when the server was deployed. */
  failure?: Failure
  /** What to do about the failure. */
  next?: NextStep[]
}

/** Errors that concern one server only. The import continues with the others. */
const SERVER_ERRORS: readonly ErrorCode[] = [
  'INVALID_MCP',
  'INVALID_REQUEST',
  'CONFLICT',
  'UPSTREAM_FAILED',
  'UNAVAILABLE',
]

/** Builds and deploys a server of an import. */
export async function hostServer(
  context: CommandContext,
  server: ImportedServer,
  environment: Environment,
): Promise<HostedServer> {
  try {
    return { ...server, ...(await deploy(context, server.project!, environment)) }
  } catch (error) {
    if (!(error instanceof HostingError && SERVER_ERRORS.includes(error.code))) throw error
    const { code, message, details, next } = error
    return {
      ...server,
      failure: { code, message, ...(details !== undefined && { details }) },
      next: [...next],
    }
  }
}

async function deploy(
  context: CommandContext,
  project: Project,
  environment: Environment,
): Promise<Pick<HostedServer, 'deployment_id' | 'url' | 'failure' | 'next'>> {
  const { name, env_vars: given = {} } = project.request
  const build = await buildServer(context, withEnvVars(project, {}, environment))
  if (build.status === 'failed')
    return { failure: build.error ?? UNKNOWN_FAILURE, next: [failedBuildStep(context, project)] }
  const { env_vars: _stored, ...base }: DeployConfig = project.deploy[environment] ?? {}
  const { env_vars, variables } = await placeVariables(
    context,
    { name, environment },
    { base: undefined, given, save: true },
  )
  const config = mergeConfig(base, { env_vars })
  const request = {
    mcp_id: build.mcp_id,
    environment,
    ...(config && { config }),
    ...(variables && { variables }),
  }
  const { status, deployment_id, url, error } = await deployServer(context, request, { name, wait: true })
  if (status !== 'failed') return { deployment_id, url }
  const next = [logOrHealthStep(await context.api(), deployment_id)]
  return { deployment_id, failure: error ?? UNKNOWN_FAILURE, next }
}

const UNKNOWN_FAILURE: Failure = { code: 'UPSTREAM_FAILED', message: 'The API gave no reason.' }

/** Unlike a command on the command line, an entry without a folder never runs in the current folder. */
function failedBuildStep({ env }: CommandContext, { request }: Project): NextStep {
  const program = request.program!
  const file = program.type === 'image' ? undefined : missingFile(program, undefined)
  if (file === undefined || program.type === 'image') return programStep(program, env)
  return program.cwd === undefined
    ? {
        description: `Give the absolute path of ${file} in the configuration, or set "cwd" next to "command"`,
      }
    : { description: `File ${file} does not exist in ${program.cwd}. Correct "cwd" in the configuration` }
}
