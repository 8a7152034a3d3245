import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import type { DeploymentRecord } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import { request } from '../../api/client.ts'
import { parseDefinition } from './parse-definition.ts'

/** Builds and deploys the text of a definition to development. Returns the server's name. Throws if a step fails. */
export async function deployDefinition(text: string): Promise<string> {
  const { definition, config } = parseDefinition(text)
  const build = await request<BuildRecord>('POST', '/v1/build', { body: definition })
  requireNoFailure(build)
  const deployment = await request<DeploymentRecord>('POST', '/v1/deploy', {
    body: { mcp_id: build.mcp_id, environment: 'development', config },
  })
  requireNoFailure(deployment)
  return build.name
}

function requireNoFailure({ status, error }: Pick<BuildRecord | DeploymentRecord, 'status' | 'error'>): void {
  if (status !== 'failed') return
  throw new HostingError('UNAVAILABLE', error?.message ?? 'The server could not be deployed.', {
    details: error?.details,
  })
}
