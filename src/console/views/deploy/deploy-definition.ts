import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import type { SendOnce } from '../../api/attempts.ts'
import { notify } from '../../components/notices.tsx'
import { requireNoFailure } from '../../model/failure.ts'
import { parseDefinition } from './parse-definition.ts'
import { runDeployment } from './run-deployment.ts'

/** Builds and deploys the text of a definition to development. Returns the server's name. Throws if a step fails. */
export async function deployDefinition(send: SendOnce, text: string): Promise<string> {
  const { definition, config } = parseDefinition(text)
  const { mcp_id, name } = await buildDefinition(send, definition)
  await runDeployment(send, { mcp_id, environment: 'development', config })
  return name
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
