import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HomeInspection } from '../../shared/contract/daemon/backups.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { type DatabaseFacts, readFacts } from './copied-database.ts'
import { newestOf, readBackups } from './manifest.ts'

/** Compares the files of a home and its last backup with the references in its database. Does not read whole files. */
export function inspectHome(paths: HomePaths, keyCheck: string | undefined): HomeInspection {
  const facts = existsSync(paths.database) ? readFacts(paths.database) : undefined
  const missing = [...(facts?.artifacts ?? []), ...(facts?.sources ?? [])].filter(
    path => !existsSync(join(paths.home, path)),
  )
  const newest = newestOf(readBackups(paths.backups))
  return {
    key: keyStateOf(facts, keyCheck, existsSync(paths.secretKey)),
    missing,
    ...(newest && {
      backup: {
        name: newest.name,
        file: newest.file,
        ...(newest.manifest && { createdAt: newest.manifest.createdAt }),
        hasManifest: newest.manifest !== undefined,
        isOfThisDatabase: !facts || !newest.manifest || newest.manifest.databaseId === facts.databaseId,
        missing: newest.manifest?.missing.length ?? 0,
      },
    }),
  }
}

function keyStateOf(
  facts: DatabaseFacts | undefined,
  keyCheck: string | undefined,
  exists: boolean,
): HomeInspection['key'] {
  if (facts?.keyCheck == null) return exists || !facts || facts.artifacts.length === 0 ? 'fits' : 'missing'
  if (keyCheck === facts.keyCheck) return 'fits'
  return exists ? 'wrong' : 'missing'
}
