import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import type { ServerEnv } from '../../../shared/contract/servers/variables.ts'
import type { SendOnce } from '../../api/attempts.ts'
import { request } from '../../api/client.ts'
import { notify } from '../../components/notices.tsx'
import { requireNoFailure } from '../../model/failure.ts'
import { envPath } from '../server/settings/variables.ts'
import type { DeployTarget } from './deploy-target.ts'
import { parseDefinition } from './parse-definition.ts'
import { runDeployment } from './run-deployment.ts'

const ENVIRONMENT = 'development'

interface DeployedDefinition {
  name: string
  /** Build to deploy once its variables have values. Undefined if the server has been deployed. */
  needs?: DeployTarget
}

/** Builds the text of a definition, and deploys it to development unless variables are missing. Throws if a step fails. */
export async function deployDefinition(send: SendOnce, text: string): Promise<DeployedDefinition> {
  const { definition, config } = parseDefinition(text)
  const { mcp_id, name } = await buildDefinition(send, definition)
  const { missing } = await request<ServerEnv>('GET', envPath(name, ENVIRONMENT))
  const given = (config.env_vars ?? {}) as object
  if (missing.some(({ name: variable, required }) => required && !Object.hasOwn(given, variable)))
    return {
      name,
      needs: { name, mcpId: mcp_id, environment: ENVIRONMENT, config, opensPlayground: true },
    }
  await runDeployment(send, { mcp_id, environment: ENVIRONMENT, config })
  return { name }
}

/** Builds a definition. Throws if the build fails. */
export async function buildDefinition(
  send: SendOnce,
  definition: Record<string, unknown>,
): Promise<BuildRecord> {
  const build = await send<BuildRecord>('/v1/build', definition)
  requireNoFailure(build)
  for (const warning of build.warnings ?? []) notify(warning)
  return build
}
