import { AUTH_FIELDS } from '../../../shared/contract/deployments/auth-providers.ts'
import type { DeployConfig } from '../../../shared/contract/deployments/deploy-config.ts'
import type { DeploymentAuth } from '../../../shared/contract/deployments/deployment-auth.ts'
import { HostingError } from '../../../shared/errors.ts'

/** URLs to which users or the daemon send secrets. */
const URL_FIELDS = [
  'url',
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'user_info_endpoint',
] as const

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Throws INVALID_REQUEST naming every missing or invalid field. */
export function checkAuth(auth: DeploymentAuth): void {
  const { provider } = auth
  const problems = [
    ...AUTH_FIELDS[provider]
      .filter(field => auth[field] === undefined)
      .map(field => `config.auth.${field}: required`),
    ...URL_FIELDS.filter(field => auth[field] !== undefined && !isSecure(auth[field])).map(
      field => `config.auth.${field}: must be an https URL (http on loopback only)`,
    ),
  ]
  if (problems.length === 0) return
  throw new HostingError(
    'INVALID_REQUEST',
    `config.auth is not valid for "${provider}": ${problems.join(', ')}.`,
    {
      details: problems.join('; '),
      next: [
        {
          description: 'Try sign-in without an identity provider',
          command: 'mcp deploy --auth local',
        },
      ],
    },
  )
}

/** Throws INVALID_REQUEST when pages from every origin could use a server without sign-in. */
export function checkOrigins({ origins, auth }: DeployConfig): void {
  if (origins !== '*' || auth) return
  throw new HostingError(
    'INVALID_REQUEST',
    'config.origins is "*", which requires config.auth: without sign-in, every page that a user visits could use the server.',
    {
      details: 'config.origins: list the origins, or require sign-in',
      next: [
        { description: 'Allow one origin', command: 'mcp deploy --origin https://app.example.com' },
        { description: 'Or require sign-in', command: 'mcp deploy --auth local' },
      ],
    },
  )
}

function isSecure(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
