import { createId } from '../../shared/ids.ts'
import type { StoredSource } from '../builder/archive/source-archives.ts'
import type { Source } from '../store/sources.ts'
import type { Rooms } from './rooms.ts'

type Files = Pick<Rooms, 'store' | 'archives' | 'programSources' | 'background'>

/** Writes down that a project has this archive. */
export function recordSource(
  { store, clock }: Pick<Rooms, 'store' | 'clock'>,
  projectId: string,
  { digest, format, sizeBytes }: StoredSource,
): Source {
  const now = clock.now()
  const id = createId('src')
  return store.sources.put({ id, projectId, digest, format, sizeBytes, createdAt: now, usedAt: now })
}

/** A deleted project keeps only what builds were made of. */
export async function dropSourcesOf(rooms: Files, projectId: string): Promise<void> {
  for (const source of rooms.store.sources.ofProject(projectId)) await dropSource(rooms, source)
}

/** After a build is gone: its archive goes too, when nothing else needs it. */
export async function dropUnusedArchive(
  { store, archives, programSources, background }: Files,
  digest: string,
): Promise<void> {
  // What a storage out of reach keeps counts as unknown, and is removed later.
  await archives.removeUnless(() => store.sources.digestInUse(digest), digest).catch(background.report)
  if (!store.sources.hasBuilds(digest)) programSources.remove(digest)
}

/** The same for what a build made. */
export async function dropUnusedArtifact(
  { store, artifacts, background }: Pick<Rooms, 'store' | 'artifacts' | 'background'>,
  digest: string,
): Promise<void> {
  await artifacts.removeUnless(() => store.builds.digestInUse(digest), digest).catch(background.report)
}

/** Unless a build was made of it. */
export async function dropSource(rooms: Files, source: Source): Promise<void> {
  if (rooms.store.sources.hasBuilds(source.digest)) return
  rooms.store.sources.remove(source.id)
  await dropUnusedArchive(rooms, source.digest)
}
