import { useSignal } from '@preact/signals'
import type { SurfaceReport } from '../../../shared/contract/builds/builds.ts'
import type { ServerEnv } from '../../../shared/contract/servers/variables.ts'
import { useAttempts } from '../../api/attempts.ts'
import { request } from '../../api/client.ts'
import { useResource } from '../../api/resource.ts'
import { concerns } from '../../model/servers.ts'
import { envPath } from '../server/settings/variables.ts'
import { currentDeployment, type DeployTarget, firstEnvironment, ownConfig } from './deploy-target.ts'
import { runDeployment } from './run-deployment.ts'

type Values = Readonly<Record<string, string>>

/** The user's input for the deployment of a build, and the facts that it depends on. */
export function useDeployForm(target: DeployTarget) {
  const { name, mcpId, from } = target
  const environment = useSignal(firstEnvironment(target))
  const message = useSignal('')
  const variables = useSignal<Values>({})
  /** Phase of the running deployment. */
  const phase = useSignal('')
  const attempt = useAttempts()
  const { surface, env } = useFacts(target, environment.value)
  const current = currentDeployment(name, environment.value)
  const change = surface.value?.items.find(item => item.environment === environment.value)
  const deploy = () => {
    const config = ownConfig(target, environment.value)
    const configFrom = current?.deployment_id ?? from?.deploymentId
    const text = message.value.trim()
    const body = {
      mcp_id: mcpId,
      environment: environment.value,
      ...(config ? { config } : configFrom !== undefined && { config_from: configFrom }),
      // The API rejects breaking changes that the dialog has not shown.
      allow_breaking: change?.breaking ?? false,
      variables: valuesOf(variables.value, env.value?.missing),
      ...(text && { release: { message: text } }),
    }
    const input = [body.environment, text, variables.value]
    return attempt(send => runDeployment(send, body, { input, phase }))
  }
  return { environment, message, variables, phase, surface, env, current, change, deploy }
}

/** Changes for clients, and variables of the environment. */
function useFacts({ name, mcpId }: DeployTarget, environment: string) {
  const surface = useResource(mcpId, {
    load: signal =>
      request<SurfaceReport>('GET', `/v1/build/${encodeURIComponent(mcpId)}/surface`, { signal }),
    concerns: concerns(name, ['deployment']),
  })
  const env = useResource(`${name} ${environment}`, {
    load: signal => request<ServerEnv>('GET', envPath(name, environment), { signal }),
    concerns: concerns(name, ['variable', 'deployment']),
  })
  return { surface, env }
}

/** Values of variables that are missing in the environment. */
function valuesOf(values: Values, missing: ServerEnv['missing'] = []): Values {
  const names = missing.map(({ name }) => name).filter(name => values[name] !== undefined)
  return Object.fromEntries(names.map(name => [name, values[name]!]))
}
