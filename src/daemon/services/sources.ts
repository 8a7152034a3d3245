import { HostingError } from '../../shared/errors.ts'
import type { StoredSource } from '../builder/archive/source-archives.ts'

export { SOURCE_LIMIT_BYTES, tooLarge } from '../builder/archive/source-archives.ts'

import type { Project } from '../store/projects.ts'
import type { Source } from '../store/sources.ts'
import { getProject } from './projects.ts'
import type { Rooms } from './rooms.ts'
import { dropSource, recordSource } from './source-retention.ts'

/** Older archives of a project go, except those that a build was made of. */
const KEPT_SOURCES = 5

interface UploadOptions {
  digest?: string | undefined
  check?: (() => void) | undefined
}

export class Sources {
  readonly #rooms: Rooms

  constructor(rooms: Rooms) {
    this.#rooms = rooms
  }

  /**
   * Makes an archive the source of a project. With `digest` an empty body names an archive that is stored already. Throws
   * NOT_FOUND, CONFLICT unless the project is active, and what `SourceArchives.receive` throws. `check` runs in the
   * transaction that writes.
   */
  async upload(
    projectId: string,
    body: AsyncIterable<Uint8Array>,
    { digest, check = () => {} }: UploadOptions = {},
  ): Promise<Source> {
    requireActive(getProject(this.#rooms, projectId))
    const chunks = untilBroken(body)
    const first = await chunks.next()
    const keep = (stored: StoredSource) => this.#keep(projectId, stored, check)
    if (first.done) return this.#reuse(digest, keep)
    const whole = startingWith(first.value, chunks)
    const source = await this.#rooms.archives.receive(whole, digest, keep)
    await dropOldSources(this.#rooms, projectId)
    return source
  }

  /** Throws NOT_FOUND. */
  get(id: string): Source {
    return getSource(this.#rooms, id)
  }

  async #reuse(digest: string | undefined, keep: (stored: StoredSource) => Source): Promise<Source> {
    if (digest === undefined)
      throw new HostingError('INVALID_REQUEST', 'The request has no body; send a .tar.gz or .zip archive.')
    const known = this.#rooms.store.sources.findByDigest(digest)
    if (known && (await this.#rooms.archives.provide(known))) return keep(known)
    throw new HostingError('NOT_FOUND', `No archive ${digest.slice(0, 12)} is stored; send it as the body.`)
  }

  #keep(projectId: string, stored: StoredSource, check: () => void): Source {
    const { store, clock, archives } = this.#rooms
    return store.transaction(() => {
      check()
      const project = requireActive(getProject(this.#rooms, projectId))
      const source = recordSource(this.#rooms, projectId, stored)
      const storageLocation = archives.locate(stored)
      store.projects.update({ ...project, storageLocation, sourceId: source.id, updatedAt: clock.now() })
      return source
    })
  }
}

async function dropOldSources(rooms: Rooms, projectId: string): Promise<void> {
  const old = rooms.store.sources.ofProject(projectId).slice(KEPT_SOURCES)
  for (const source of old) await dropSource(rooms, source)
}

/** Throws NOT_FOUND. */
export function getSource({ store }: Pick<Rooms, 'store'>, id: string): Source {
  const source = store.sources.find(id)
  if (source) return source
  throw new HostingError('NOT_FOUND', `There is no source "${id}".`, {
    details:
      'PUT /api/projects/{id}/source answers with the id of what was uploaded. Of a project the newest 5 are kept.',
  })
}

function requireActive(project: Project): Project {
  if (project.status === 'active') return project
  throw new HostingError('CONFLICT', `Project ${project.id} is ${project.status}; it takes no source.`, {
    details: project.status === 'archived' ? 'Make it active first.' : undefined,
  })
}

/** A client that goes away amid its upload is no fault of ours. */
async function* untilBroken(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body
  } catch (cause) {
    throw new HostingError('CANCELLED', 'The upload broke off before its end.', { cause })
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
