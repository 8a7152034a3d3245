import type BetterSqlite3 from 'better-sqlite3'
import { HostingError } from '../../shared/errors.ts'
import { initial } from './migrations/0001-initial.ts'
import { projects } from './migrations/0002-projects.ts'
import { chats } from './migrations/0003-chats.ts'
import { mappings } from './migrations/0004-mappings.ts'
import { containerBuilds } from './migrations/0005-container-builds.ts'
import { requestHistory } from './migrations/0006-request-history.ts'
import { keptProjects } from './migrations/0007-kept-projects.ts'
import { baseImages } from './migrations/0008-base-images.ts'
import { conflicts } from './migrations/0009-conflicts.ts'
import { facts } from './migrations/0010-facts.ts'
import { destinations } from './migrations/0011-destinations.ts'
import { idempotencyKeys } from './migrations/0012-idempotency-keys.ts'
import { variables } from './migrations/0013-variables.ts'
import { releases } from './migrations/0015-releases.ts'
import { removals } from './migrations/0016-removals.ts'
import { temporaryBuilds } from './migrations/0017-temporary-builds.ts'
import { suiteRuns } from './migrations/0018-suite-runs.ts'
import { sessions } from './migrations/0019-sessions.ts'
import { suiteDefinitions } from './migrations/0020-suite-definitions.ts'

/** Migrations in order. The file's `user_version` counts the applied migrations. A released migration is never edited. */
const MIGRATIONS: readonly string[] = [
  initial,
  projects,
  chats,
  mappings,
  containerBuilds,
  requestHistory,
  keptProjects,
  baseImages,
  conflicts,
  facts,
  destinations,
  idempotencyKeys,
  variables,
  releases,
  removals,
  temporaryBuilds,
  suiteRuns,
  sessions,
  suiteDefinitions,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Migrates the file to this program's schema in one transaction. Throws CONFLICT for a file from a newer version. */
export function migrate(connection: BetterSqlite3.Database, path: string): void {
  const version = connection.pragma('user_version', { simple: true }) as number
  if (version > MIGRATIONS.length) throw newerFile(path, version)
  if (version === MIGRATIONS.length) return
  connection
    .transaction(() => {
      for (const sql of MIGRATIONS.slice(version)) connection.exec(sql)
      connection.pragma(`user_version = ${MIGRATIONS.length}`)
    })
    .immediate()
}

function newerFile(path: string, version: number): HostingError {
  return new HostingError(
    'CONFLICT',
    `The database ${path} was written by a newer version of mcp-hosting. It has schema ${version}, but this version supports only schemas up to ${MIGRATIONS.length}.`,
    {
      next: [
        { description: 'Update this program', command: 'npm install -g mcp-hosting@latest' },
        { description: 'Or set MCP_HOME to another home' },
      ],
    },
  )
}
