import { AUTH_FIELDS, type AuthProvider } from '../../shared/contract/deployments/auth-providers.ts'
import type { DeploymentAuth } from '../../shared/contract/deployments/deployment-auth.ts'
import { HostingError } from '../../shared/errors.ts'

interface AuthInput {
  /** Settings from the project file. */
  base: DeploymentAuth | undefined
  /** `--auth` */
  flag: AuthProvider | 'none' | undefined
  /** `--set`, `--env-file` */
  envVars: Record<string, string>
  env: NodeJS.ProcessEnv
}

/**
 * Settings for the sign-in of users, from the project file or `--auth`. Missing values come from `--set` or the environment
 * (`GOOGLE_CLIENT_ID`) and are removed from the `envVars` of the server. Throws INVALID_REQUEST listing missing values.
 */
export function chooseAuth({ base, flag, envVars, env }: AuthInput): {
  auth: DeploymentAuth | undefined
  envVars: Record<string, string>
} {
  const provider = flag ?? base?.provider
  if (provider === undefined || provider === 'none') return { auth: undefined, envVars }
  const rest = { ...envVars }
  const auth: DeploymentAuth =
    base?.provider === provider ? { ...base } : { ...commonFieldsOf(base), provider }
  const missing: string[] = []
  for (const field of AUTH_FIELDS[provider]) {
    const name = `${provider}_${field}`.toUpperCase()
    delete rest[name]
    auth[field] ??= envVars[name] ?? (env[name] || undefined)
    if (auth[field] === undefined) missing.push(name)
  }
  if (missing.length > 0) throw incompleteAuth(provider, missing)
  return { auth, envVars: rest }
}

/** Fields common to all providers. */
function commonFieldsOf(base: DeploymentAuth | undefined): Partial<DeploymentAuth> {
  const { scopes, required_scopes, token_ttl } = base ?? {}
  return {
    ...(scopes && { scopes }),
    ...(required_scopes && { required_scopes }),
    ...(token_ttl !== undefined && { token_ttl }),
  }
}

function incompleteAuth(provider: AuthProvider, names: string[]): HostingError {
  const set = names.map(name => `--set ${name}`).join(' ')
  return new HostingError(
    'INVALID_REQUEST',
    `Sign-in with ${provider} is incomplete: ${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} not set.`,
    {
      next: [
        {
          description: `Register an application at ${provider}, set these variables in this shell, and pass ${set}`,
        },
        { description: 'Try it without a provider', command: 'mcp deploy --auth local' },
      ],
    },
  )
}
