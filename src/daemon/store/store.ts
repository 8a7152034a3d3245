import { AddressStore } from './addresses.ts'
import { ApiKeyStore } from './api-keys.ts'
import { BuildStore } from './builds.ts'
import { ChatStore } from './chats.ts'
import { ContainerBuildStore } from './container-builds.ts'
import { Database } from './database.ts'
import { DeploymentStore } from './deployments.ts'
import { DestinationStore } from './destinations.ts'
import { FactStore } from './facts.ts'
import { IdempotencyKeyStore } from './idempotency-keys.ts'
import { MappingStore } from './mappings.ts'
import { ModelKeyStore } from './model-keys.ts'
import { ProjectStore } from './projects.ts'
import { RequestHistoryStore } from './request-history.ts'
import { ServerStore } from './servers.ts'
import { SignInRecordStore } from './sign-in-records.ts'
import { SourceStore } from './sources.ts'

/** Everything the daemon remembers. SQL stands in this folder only. */
export interface Store {
  database: Database
  facts: FactStore
  servers: ServerStore
  builds: BuildStore
  deployments: DeploymentStore
  addresses: AddressStore
  mappings: MappingStore
  containerBuilds: ContainerBuildStore
  apiKeys: ApiKeyStore
  projects: ProjectStore
  sources: SourceStore
  chats: ChatStore
  modelKeys: ModelKeyStore
  requestHistory: RequestHistoryStore
  destinations: DestinationStore
  idempotencyKeys: IdempotencyKeyStore
  signInRecords: SignInRecordStore
  /** When the newest record was made; undefined when there is none. */
  latestMoment(): string | undefined
  /** True until the first server or model key is saved. */
  isEmpty(): boolean
  /** Values that were encrypted with `secret.key`, newest first, a hundred at most. */
  sealedValues(): Buffer[]
  /** Which of these ids are neither a deployment's, a build's nor a container build's. */
  unknownOf(ids: readonly string[]): string[]
  /** All or nothing. */
  transaction<T>(work: () => T): T
  close(): void
}

/** Throws UNAVAILABLE for a damaged, full or unwritable file and CONFLICT for one of a newer program. */
export function openStore(path: string): Store {
  const database = new Database(path)
  return {
    database,
    facts: new FactStore(database),
    servers: new ServerStore(database),
    builds: new BuildStore(database),
    deployments: new DeploymentStore(database),
    addresses: new AddressStore(database),
    mappings: new MappingStore(database),
    containerBuilds: new ContainerBuildStore(database),
    apiKeys: new ApiKeyStore(database),
    projects: new ProjectStore(database),
    sources: new SourceStore(database),
    chats: new ChatStore(database),
    modelKeys: new ModelKeyStore(database),
    requestHistory: new RequestHistoryStore(database),
    destinations: new DestinationStore(database),
    idempotencyKeys: new IdempotencyKeyStore(database),
    signInRecords: new SignInRecordStore(database),
    latestMoment: () => latestMoment(database),
    isEmpty: () => isEmpty(database),
    sealedValues: () => sealedValues(database),
    unknownOf: ids => unknownOf(database, ids),
    transaction: work => database.transaction(work),
    close: () => database.close(),
  }
}

function isEmpty(database: Database): boolean {
  const sql = 'SELECT EXISTS (SELECT 1 FROM servers) OR EXISTS (SELECT 1 FROM model_keys) AS used'
  return database.prepare<{ used: number }>(sql).get()?.used === 0
}

function sealedValues(database: Database): Buffer[] {
  const sql = `SELECT sealed FROM (
    SELECT env AS sealed, created_at FROM deployments WHERE env IS NOT NULL
    UNION ALL SELECT sealed, created_at FROM model_keys) ORDER BY created_at DESC LIMIT 100`
  return database
    .prepare<{ sealed: Buffer }>(sql)
    .all()
    .map(({ sealed }) => sealed)
}

function unknownOf(database: Database, ids: readonly string[]): string[] {
  const isIn = ['deployments', 'builds', 'container_builds'].map(
    table => `EXISTS (SELECT 1 FROM ${table} WHERE id = value)`,
  )
  const sql = `SELECT value AS id FROM json_each(?) WHERE NOT (${isIn.join(' OR ')})`
  const rows = database.prepare<{ id: string }>(sql).all([JSON.stringify(ids)])
  return rows.map(({ id }) => id)
}

/** Lists are sorted by these tables' `created_at`, and have an index of it. */
const SORTED_BY_TIME = [
  'builds',
  'deployments',
  'projects',
  'container_builds',
  'chats',
  'mappings',
  'api_keys',
]

function latestMoment(database: Database): string | undefined {
  const each = SORTED_BY_TIME.map(table => `SELECT max(created_at) AS moment FROM ${table}`)
  const sql = `SELECT max(moment) AS moment FROM (${each.join(' UNION ALL ')})`
  return database.prepare<{ moment: string | null }>(sql).get()?.moment ?? undefined
}
