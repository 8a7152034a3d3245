import { HostingError } from '../../../shared/errors.ts'
import type { StoredSource } from '../../builder/archive/source-archives.ts'

import type { Project } from '../../store/tables/projects.ts'
import type { Source } from '../../store/tables/sources.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { getProject } from '../projects/projects.ts'
import { recordSource, removeSource, type SourceDependencies } from './source-retention.ts'

/** Number of newest archives kept per project. Older ones are kept only if a build came from them. */
const KEPT_SOURCES = 5

type Dependencies = SourceDependencies & Pick<ServiceDependencies, 'clock' | 'supervisor'>

interface UploadOptions {
  digest?: string | undefined
  check?: (() => void) | undefined
}

export class Sources {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  /**
   * Stores an archive as the source of a project. With `digest`, an empty body selects an archive that is
   * already stored. Throws NOT_FOUND, CONFLICT unless the project is active, and the errors of
   * `SourceArchives.receive`. `check` runs in the transaction that writes.
   */
  async upload(
    projectId: string,
    body: AsyncIterable<Uint8Array>,
    { digest, check = () => {} }: UploadOptions = {},
  ): Promise<Source> {
    requireActive(getProject(this.#deps, projectId))
    const chunks = untilDisconnected(body)
    const first = await chunks.next()
    const keep = (stored: StoredSource) => this.#keep(projectId, stored, check)
    if (first.done) return this.#reuse(digest, keep)
    // A build, which needs the sandbox, usually follows.
    this.#deps.background.run(() => this.#deps.supervisor.prepareSandbox())
    const content = startingWith(first.value, chunks)
    const source = await this.#deps.archives.receive(content, digest, keep)
    await removeOldSources(this.#deps, projectId)
    return source
  }

  /** Throws NOT_FOUND. */
  get(id: string): Source {
    return getSource(this.#deps, id)
  }

  async #reuse(digest: string | undefined, keep: (stored: StoredSource) => Source): Promise<Source> {
    if (digest === undefined)
      throw new HostingError('INVALID_REQUEST', 'The request has no body. Send a .tar.gz or .zip archive.')
    const known = this.#deps.store.sources.findByDigest(digest)
    if (known && (await this.#deps.archives.provide(known))) return keep(known)
    throw new HostingError(
      'NOT_FOUND',
      `The archive ${digest.slice(0, 12)} is not stored. Send it as the body.`,
    )
  }

  #keep(projectId: string, stored: StoredSource, check: () => void): Source {
    const { store, clock, archives } = this.#deps
    return store.transaction(() => {
      check()
      const project = requireActive(getProject(this.#deps, projectId))
      const source = recordSource(this.#deps, projectId, stored)
      const storageLocation = archives.locate(stored)
      store.projects.update({ ...project, storageLocation, sourceId: source.id, updatedAt: clock.now() })
      return source
    })
  }
}

async function removeOldSources(deps: SourceDependencies, projectId: string): Promise<void> {
  const old = deps.store.sources.listByProject(projectId).slice(KEPT_SOURCES)
  for (const source of old) await removeSource(deps, source)
}

/** Throws NOT_FOUND. */
export function getSource({ store }: Pick<ServiceDependencies, 'store'>, id: string): Source {
  const source = store.sources.find(id)
  if (source) return source
  throw new HostingError('NOT_FOUND', `Source "${id}" does not exist.`, {
    details:
      'PUT /api/projects/{id}/source returns the id of the source. The newest 5 of a project are kept.',
  })
}

function requireActive(project: Project): Project {
  if (project.status === 'active') return project
  throw new HostingError('CONFLICT', `Project ${project.id} is ${project.status} and accepts no source.`, {
    details: project.status === 'archived' ? 'Reactivate it first.' : undefined,
  })
}

/** Throws CANCELLED when the client disconnects during the upload. */
async function* untilDisconnected(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw new HostingError('CANCELLED', 'The upload was interrupted.', { cause })
  }
}

async function* startingWith<T>(first: T, rest: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    yield first
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}
