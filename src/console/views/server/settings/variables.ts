import type { ServerEnv, VariableChanges } from '../../../../shared/contract/servers/variables.ts'
import { request } from '../../../api/client.ts'

export type Variable = ServerEnv['variables'][number]
export type MissingVariable = ServerEnv['missing'][number]

export function envPath(server: string, environment: string): string {
  return `/v1/servers/${encodeURIComponent(server)}/env/${environment}`
}

export function changeVariables(
  server: string,
  environment: string,
  variables: VariableChanges,
): Promise<ServerEnv> {
  return request('PATCH', envPath(server, environment), { body: { variables } })
}
