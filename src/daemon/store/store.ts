import { AddressStore } from './addresses.ts'
import { ApiKeyStore } from './api-keys.ts'
import { BuildStore } from './builds.ts'
import { ChatStore } from './chats.ts'
import { ContainerBuildStore } from './container-builds.ts'
import { Database } from './database.ts'
import { DeploymentStore } from './deployments.ts'
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
  signInRecords: SignInRecordStore
  /** All or nothing. */
  transaction<T>(work: () => T): T
  close(): void
}

/** Throws UNAVAILABLE for a damaged, full or unwritable file and CONFLICT for one of a newer program. */
export function openStore(path: string): Store {
  const database = new Database(path)
  return {
    database,
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
    signInRecords: new SignInRecordStore(database),
    transaction: work => database.transaction(work),
    close: () => database.close(),
  }
}
