import type { DeployConfig } from '../../shared/deploy-config.ts'
import type { DeploymentAuth } from '../../shared/deployment-auth.ts'
import type { Deployment } from '../store/deployments.ts'
import type { SecretBox } from './secrets.ts'

const MASK = '********'

/** Beside the variables in what is sealed; no variable can have such a name. */
const CLIENT_SECRET = 'auth.client_secret'

/** A configuration as it is kept and shown: names stay, values never leave the daemon. `sealed`: these values. */
export function concealConfig(
  config: DeployConfig,
  secrets: SecretBox,
): { config: DeployConfig; sealed: Buffer | null } {
  const { env_vars, auth } = config
  const values = {
    ...env_vars,
    ...(auth?.client_secret !== undefined && { [CLIENT_SECRET]: auth.client_secret }),
  }
  return {
    config: {
      ...config,
      ...(env_vars && { env_vars: maskValues(env_vars) }),
      ...(auth?.client_secret !== undefined && { auth: { ...auth, client_secret: MASK } }),
    },
    sealed: Object.keys(values).length > 0 ? secrets.seal(JSON.stringify(values)) : null,
  }
}

/** The configuration as it was given. Throws UNAVAILABLE when it cannot be decrypted. */
export function revealConfig(secrets: SecretBox, deployment: Deployment): DeployConfig {
  const auth = readAuth(secrets, deployment)
  return {
    ...deployment.config,
    ...(deployment.config.env_vars && { env_vars: readEnv(secrets, deployment) }),
    ...(auth && { auth }),
  }
}

/** The real values of `env_vars`. */
export function readEnv(secrets: SecretBox, deployment: Deployment): Record<string, string> {
  const { [CLIENT_SECRET]: _, ...values } = unseal(secrets, deployment)
  return values
}

/** With the client's secret; undefined where nobody signs in. */
export function readAuth(secrets: SecretBox, deployment: Deployment): DeploymentAuth | undefined {
  const { auth } = deployment.config
  if (auth?.client_secret === undefined) return auth
  return { ...auth, client_secret: unseal(secrets, deployment)[CLIENT_SECRET] ?? '' }
}

function unseal(secrets: SecretBox, { env }: Deployment): Record<string, string> {
  return env === null ? {} : JSON.parse(secrets.unseal(env))
}

function maskValues(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map(name => [name, MASK]))
}
