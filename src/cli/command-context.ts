import type { HomePaths } from '../shared/paths.ts'
import type { ApiClient } from './api-client.ts'
import type { Settings } from './context.ts'
import type { GlobalInput } from './global-options.ts'
import type { Output } from './output.ts'

/** What a command may use besides its input. */
export interface CommandContext {
  output: Output
  globals: GlobalInput
  /** Who and where: API address and key with the source of each. Resolved once, on first use. */
  settings(): Settings
  /** A client of the hosted API, or of the local daemon, which is started when it does not run. Made once. */
  api(): Promise<ApiClient>
  /** A new one of the same API after the connection broke; undefined while it is out of reach. Starts nothing. */
  reopenApi(): Promise<ApiClient | undefined>
  paths: HomePaths
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
  cwd: string
  env: NodeJS.ProcessEnv
}
