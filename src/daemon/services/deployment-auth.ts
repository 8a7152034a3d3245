import { AUTH_FIELDS } from '../../shared/auth-providers.ts'
import type { DeploymentAuth } from '../../shared/deployment-auth.ts'
import { HostingError } from '../../shared/errors.ts'

/** Addresses at which users or we ourselves send secrets. */
const ADDRESSES = ['url', 'issuer', 'authorization_endpoint', 'token_endpoint', 'user_info_endpoint'] as const

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Throws INVALID_REQUEST that names every field that is missing or cannot work. */
export function checkAuth(auth: DeploymentAuth): void {
  const { provider } = auth
  const problems = [
    ...AUTH_FIELDS[provider]
      .filter(field => auth[field] === undefined)
      .map(field => `config.auth.${field}: required`),
    ...ADDRESSES.filter(field => auth[field] !== undefined && !isSecure(auth[field])).map(
      field => `config.auth.${field}: must be an https address (http on loopback only)`,
    ),
  ]
  if (problems.length === 0) return
  throw new HostingError(
    'INVALID_REQUEST',
    `Users cannot sign in with "${provider}" yet: ${problems.join(', ')}.`,
    {
      details: problems.join('; '),
      next: [
        {
          description: 'Try it without a provider of your own',
          command: 'mcp deploy --auth local',
        },
      ],
    },
  )
}

function isSecure(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
