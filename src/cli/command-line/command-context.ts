import type { HomePaths } from '../../shared/paths.ts'
import type { ApiClient } from '../api/client.ts'
import type { Settings } from '../api/context.ts'
import type { Output } from '../output/output.ts'
import type { GlobalInput } from './global-options.ts'

/** Everything a command may use besides its input. */
export interface CommandContext {
  output: Output
  globals: GlobalInput
  /** The command line after `mcp`, with the full name of the command. */
  words: readonly string[]
  /** API address and key with their sources. Resolved once, on first use. */
  settings(): Settings
  /** Client of the hosted API or of the local daemon, which is started if necessary. Created once. */
  api(): Promise<ApiClient>
  /**
   * Replaces the client after its connection broke. Undefined while the local daemon is not running. Never starts the daemon.
   */
  reopenApi(): Promise<ApiClient | undefined>
  paths: HomePaths
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  cwd: string
  env: NodeJS.ProcessEnv
}
