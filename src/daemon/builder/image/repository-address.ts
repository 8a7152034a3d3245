import { HostingError } from '../../../shared/errors.ts'

export interface RepositoryAddress {
  /** `host[:port]` */
  registry: string
  /** `team/weather` */
  repository: string
}

const DOCKER_HUB = 'docker.io'

/**
 * `127.0.0.1:5000/team/weather` → its parts; `docker.io/node` is `docker.io/library/node`, as for every engine. Throws
 * INVALID_REQUEST for what is no repository with a host.
 */
export function parseRepository(text: string): RepositoryAddress {
  const [, registry, repository] =
    /^([a-z0-9.-]+(?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)$/i.exec(text) ?? []
  if (registry && repository && /[.:]|^localhost$/.test(registry))
    return { registry, repository: inFull(registry, repository.toLowerCase()) }
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is no image repository: expected host/name, such as registry.example.com/team/weather.`,
  )
}

/** Docker Hub answers at another host than its images are named by (https://docs.docker.com/reference/api/registry/latest/). */
export function apiHost(registry: string): string {
  return registry === DOCKER_HUB ? 'registry-1.docker.io' : registry
}

/** What `docker login` files credentials under: for Docker Hub the address of its first API. */
export function credentialKeys(registry: string): string[] {
  const hub = registry === DOCKER_HUB ? ['https://index.docker.io/v1/'] : []
  return [...hub, registry, `https://${registry}`]
}

function inFull(registry: string, repository: string): string {
  return registry === DOCKER_HUB && !repository.includes('/') ? `library/${repository}` : repository
}
