import { HostingError } from '../../../shared/errors.ts'

export interface RepositoryAddress {
  /** `host[:port]` */
  registry: string
  /** `team/weather` */
  repository: string
}

const DOCKER_HUB = 'docker.io'

/**
 * Parses `127.0.0.1:5000/team/weather`. As in every engine, `docker.io/node` means `docker.io/library/node`. Throws
 * INVALID_REQUEST if the host is missing.
 */
export function parseRepository(text: string): RepositoryAddress {
  const [, registry, repository] =
    /^([a-z0-9.-]+(?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)$/i.exec(text) ?? []
  if (registry && repository && /[.:]|^localhost$/.test(registry))
    return { registry, repository: inFull(registry, repository.toLowerCase()) }
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is not an image repository: expected host/name, such as registry.example.com/team/weather.`,
  )
}

/**
 * Host of a registry's API. The API of Docker Hub has a different host from the one in its image names
 * (https://docs.docker.com/reference/api/registry/latest/).
 */
export function apiHost(registry: string): string {
  return registry === DOCKER_HUB ? 'registry-1.docker.io' : registry
}

/** Keys of credentials that `docker login` stored. For Docker Hub, includes the URL of its v1 API. */
export function credentialKeys(registry: string): string[] {
  const hub = registry === DOCKER_HUB ? ['https://index.docker.io/v1/'] : []
  return [...hub, registry, `https://${registry}`]
}

function inFull(registry: string, repository: string): string {
  return registry === DOCKER_HUB && !repository.includes('/') ? `library/${repository}` : repository
}
