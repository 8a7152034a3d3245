import type { Source } from '../store/sources.ts'
import type { Rooms } from './rooms.ts'

type Files = Pick<Rooms, 'store' | 'archives' | 'programSources'>

/** A deleted project keeps only what builds were made of. */
export function dropSourcesOf(rooms: Files, projectId: string): void {
  for (const source of rooms.store.sources.ofProject(projectId)) dropSource(rooms, source)
}

/** After a build is gone: its archive goes too, when nothing else needs it. */
export function dropUnusedArchive({ store, archives, programSources }: Files, digest: string): void {
  if (!store.sources.digestInUse(digest)) archives.remove(digest)
  if (!store.sources.hasBuilds(digest)) programSources.remove(digest)
}

/** What a crash left of uploads, and archives of which no record tells. */
export function removeLeftoverSources(rooms: Files): void {
  const { digests, unfinished } = rooms.archives.list()
  for (const name of unfinished) rooms.archives.removeUnfinished(name)
  for (const digest of [...digests, ...rooms.programSources.list()]) dropUnusedArchive(rooms, digest)
}

/** Unless a build was made of it. */
export function dropSource(rooms: Files, source: Source): void {
  if (rooms.store.sources.hasBuilds(source.digest)) return
  rooms.store.sources.remove(source.id)
  dropUnusedArchive(rooms, source.digest)
}
