import type { TestDaemon } from '../../helpers/daemon/daemon.ts'

export interface Hosted {
  build: { mcp_id: string; status: string; error?: { message: string; details?: string } }
  deployment: { deployment_id: string; status: string; url: string }
}

/** Builds a program and deploys it to development. */
export async function host(
  daemon: TestDaemon,
  name: string,
  program: Record<string, unknown>,
  config: Record<string, unknown> = {},
): Promise<Hosted> {
  const body = { name, template: 'custom', program: { type: 'stdio', ...program } }
  const build = (await daemon.api('POST', '/v1/build', { body })).body.data
  const request = { mcp_id: build.mcp_id, environment: 'development', config }
  const deployment = (await daemon.api('POST', '/v1/deploy', { body: request })).body.data
  return { build, deployment }
}
