import { HostingError } from '../../../shared/errors.ts'

export interface RepositoryAddress {
  /** `host[:port]` */
  registry: string
  /** `team/weather` */
  repository: string
}

/** `127.0.0.1:5000/team/weather` → its parts. Throws INVALID_REQUEST for what is no repository with a host. */
export function parseRepository(text: string): RepositoryAddress {
  const [, registry, repository] =
    /^([a-z0-9.-]+(?::\d+)?)\/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)$/i.exec(text) ?? []
  if (registry && repository && /[.:]|^localhost$/.test(registry))
    return { registry, repository: repository.toLowerCase() }
  throw new HostingError(
    'INVALID_REQUEST',
    `"${text}" is no image repository: expected host/name, such as registry.example.com/team/weather.`,
  )
}
