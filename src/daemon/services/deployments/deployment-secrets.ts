import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeploymentAuth } from '../../../shared/contract/deployments/deployment-auth.ts'
import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { SecretBox } from '../access/secrets.ts'
import { plainValues } from './stored-variables.ts'

const MASK = '********'
/** Maximum number of names in a message. */
const MAX_LISTED = 20

/** Name of the client secret among the encrypted variables. No variable can have this name. */
const CLIENT_SECRET = 'auth.client_secret'

const ENV_VALUES = { what: 'Environment variables', replace: 'deploy again with the values' }
/** Prefix of the error for values of a deployment that cannot be decrypted. */
export const UNDECRYPTABLE_PREFIX = `${ENV_VALUES.what} cannot be decrypted`

/** Masks the secrets of a configuration. `sealed` contains their encrypted values, which never leave the daemon. */
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

/** Throws INVALID_REQUEST if the client sent back the mask that replaces secrets in responses. */
export function requireUnmasked({
  config: { env_vars = {}, auth } = {},
  variables = {},
}: DeployRequest): void {
  const masked = [
    ...maskedNames('config.env_vars.', env_vars),
    ...maskedNames('variables.', plainValues(variables)),
    ...(auth?.client_secret === MASK ? ['config.auth.client_secret'] : []),
  ]
  if (masked.length === 0) return
  throw new HostingError(
    'INVALID_REQUEST',
    `The value of ${masked.slice(0, MAX_LISTED).join(', ')} is ${MASK}, which replaces secrets in responses.`,
    { details: 'Send the secret itself, or omit it and set config_from to a deployment that has it.' },
  )
}

function maskedNames(prefix: string, values: Record<string, string>): string[] {
  return Object.keys(values).flatMap(name => (values[name] === MASK ? [prefix + name] : []))
}

/** The original configuration. Throws UNAVAILABLE when it cannot be decrypted. */
export function revealConfig(secrets: SecretBox, deployment: Deployment): DeployConfig {
  const auth = readAuth(secrets, deployment)
  return {
    ...deployment.config,
    ...(deployment.config.env_vars && { env_vars: readEnv(secrets, deployment) }),
    ...(auth && { auth }),
  }
}

/** The decrypted `env_vars`. */
export function readEnv(secrets: SecretBox, deployment: Deployment): Record<string, string> {
  const { [CLIENT_SECRET]: _, ...values } = unseal(secrets, deployment)
  return values
}

/** The sign-in settings with the decrypted client secret. Undefined for a public deployment. */
export function readAuth(secrets: SecretBox, deployment: Deployment): DeploymentAuth | undefined {
  const { auth } = deployment.config
  if (auth?.client_secret === undefined) return auth
  return { ...auth, client_secret: unseal(secrets, deployment)[CLIENT_SECRET] ?? '' }
}

function unseal(secrets: SecretBox, { env }: Deployment): Record<string, string> {
  return env === null ? {} : JSON.parse(secrets.unseal(env, ENV_VALUES))
}

function maskValues(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map(name => [name, MASK]))
}
