import { Database } from './database.ts'
import { AddressStore } from './tables/addresses.ts'
import { ApiKeyStore } from './tables/api-keys.ts'
import { BuildStore } from './tables/builds.ts'
import { ChatStore } from './tables/chats.ts'
import { ConsoleSessionStore } from './tables/console-sessions.ts'
import { ContainerBuildStore } from './tables/container-builds.ts'
import { DeploymentStore } from './tables/deployments.ts'
import { DestinationStore } from './tables/destinations.ts'
import { EndedSessionStore } from './tables/ended-sessions.ts'
import { FactStore } from './tables/facts.ts'
import { IdempotencyKeyStore } from './tables/idempotency-keys.ts'
import { MappingStore } from './tables/mappings.ts'
import { ModelKeyStore } from './tables/model-keys.ts'
import { ProjectStore } from './tables/projects.ts'
import { ReleaseStore } from './tables/releases.ts'
import { RemovalStore } from './tables/removals.ts'
import { RequestHistoryStore } from './tables/request-history.ts'
import { ServerStore } from './tables/servers.ts'
import { SignInGrantStore } from './tables/sign-in-grants.ts'
import { SignInRecordStore } from './tables/sign-in-records.ts'
import { SourceStore } from './tables/sources.ts'
import { SuiteRunStore } from './tables/suite-runs.ts'
import { VariableStore } from './tables/variables.ts'

/** Everything that the daemon stores in its database. */
export type Store = ReturnType<typeof openStore>

/** Throws UNAVAILABLE for a damaged or unwritable file or a full disk, and CONFLICT for a file from a newer version. */
export function openStore(path: string) {
  const database = new Database(path)
  return {
    database,
    facts: new FactStore(database),
    servers: new ServerStore(database),
    builds: new BuildStore(database),
    deployments: new DeploymentStore(database),
    releases: new ReleaseStore(database),
    removals: new RemovalStore(database),
    addresses: new AddressStore(database),
    mappings: new MappingStore(database),
    containerBuilds: new ContainerBuildStore(database),
    consoleSessions: new ConsoleSessionStore(database),
    apiKeys: new ApiKeyStore(database),
    projects: new ProjectStore(database),
    sources: new SourceStore(database),
    chats: new ChatStore(database),
    suiteRuns: new SuiteRunStore(database),
    modelKeys: new ModelKeyStore(database),
    requestHistory: new RequestHistoryStore(database),
    destinations: new DestinationStore(database),
    endedSessions: new EndedSessionStore(database),
    idempotencyKeys: new IdempotencyKeyStore(database),
    signInGrants: new SignInGrantStore(database),
    signInRecords: new SignInRecordStore(database),
    variables: new VariableStore(database),
    /** Creation time of the newest record. */
    latestTime: () => latestTime(database),
    /** True while there is no server, model key or variable. */
    isEmpty: () => isEmpty(database),
    /** The newest hundred values that were encrypted with `secret.key`, newest first. */
    sealedValues: () => sealedValues(database),
    /** The given ids that no deployment, release, build or container build has. */
    unknownIds: (ids: readonly string[]) => unknownIds(database, ids),
    transaction: <T>(work: () => T) => database.transaction(work),
    close: () => database.close(),
  }
}

function isEmpty(database: Database): boolean {
  const sql =
    'SELECT EXISTS (SELECT 1 FROM servers) OR EXISTS (SELECT 1 FROM model_keys) OR EXISTS (SELECT 1 FROM variables) AS used'
  return database.values(sql)[0] === 0
}

function sealedValues(database: Database): Buffer[] {
  const sql = `SELECT sealed FROM (
    SELECT env AS sealed, created_at FROM deployments WHERE env IS NOT NULL
    UNION ALL SELECT sealed, created_at FROM model_keys
    UNION ALL SELECT sealed, updated_at FROM variables) ORDER BY created_at DESC LIMIT 100`
  return database.values(sql)
}

function unknownIds(database: Database, ids: readonly string[]): string[] {
  const conditions = ['deployments', 'releases', 'builds', 'container_builds'].map(
    table => `EXISTS (SELECT 1 FROM ${table} WHERE id = value)`,
  )
  const sql = `SELECT value FROM json_each(?) WHERE NOT (${conditions.join(' OR ')})`
  return database.values(sql, [JSON.stringify(ids)])
}

/** Tables with an index on `created_at`. */
const TABLES_BY_TIME = [
  'builds',
  'deployments',
  'projects',
  'container_builds',
  'chats',
  'suite_runs',
  'mappings',
  'api_keys',
]

function latestTime(database: Database): string | undefined {
  const each = TABLES_BY_TIME.map(table => `SELECT max(created_at) AS time FROM ${table}`)
  const sql = `SELECT max(time) AS time FROM (${each.join(' UNION ALL ')})`
  return database.values<string | null>(sql)[0] ?? undefined
}
