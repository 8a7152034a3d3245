import type { BackupListing, HomeInspection } from '../../shared/contract/daemon/backups.ts'
import type { HomePaths } from '../../shared/paths.ts'

export interface MachineContext {
  paths: HomePaths
  env: NodeJS.ProcessEnv
  /** Process id of the running daemon, which may have control groups that this process lacks. */
  daemonPid: number | undefined
  /** Why the daemon does not start without its database. Undefined if the database exists or the home is new. */
  lostDatabase(): string | undefined
  inspect(): HomeInspection
  listBackups(): Promise<BackupListing>
}
