import { homedir } from 'node:os'
import { join } from 'node:path'

export type HomePaths = ReturnType<typeof homePaths>

/** Content of `daemon.json`. `GET /health` proves the `nonce`, so that a reused pid or port is not mistaken for the daemon. */
export interface Discovery {
  url: string
  pid: number
  nonce: string
  startedAt: string
  version: string
}

/** Absolute paths of all files and folders (docs/decisions/daemon.md). */
export function homePaths(env: NodeJS.ProcessEnv = process.env) {
  const all = env.MCP_HOME
  const data = all || join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'mcp')
  const config = all || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'mcp')
  return {
    /** The data folder. With `MCP_HOME` it contains everything. */
    home: data,
    config: join(config, 'config.json'),
    credentials: join(config, 'credentials.json'),
    /** Tokens from signing in to MCP servers, mode 0600. */
    signIns: join(config, 'sign-ins.json'),
    /** Newest published version, as last checked. Can be deleted. */
    updateCheck: join(config, 'update-check.json'),
    database: join(data, 'daemon.db'),
    /** Discovery file of the daemon, mode 0600: {@link Discovery}. */
    discovery: join(data, 'daemon.json'),
    lock: join(data, 'daemon.lock'),
    /** AES key that encrypts environment variables at rest, mode 0600. */
    secretKey: join(data, 'secret.key'),
    daemonLog: join(data, 'logs', 'daemon.log'),
    artifacts: join(data, 'artifacts'),
    sources: join(data, 'sources'),
    /** HOME folders of programs. */
    programs: join(data, 'programs'),
    /** Unpacked source archives of programs. */
    programSources: join(data, 'program-sources'),
    /** Stores of handlers and data folders of programs: `<server>/<environment>/`. */
    state: join(data, 'state'),
    unfinishedState: join(data, 'state-copies'),
    /** Installed npm packages of programs. */
    packages: join(data, 'packages'),
    /** Installed dependencies and results of builds. Can be deleted. */
    cache: join(data, 'build-cache'),
    images: join(data, 'images'),
    /** Exists once a container has run. The next start then looks for containers left behind by a dead daemon. */
    containersUsed: join(data, 'containers'),
    /** Certificates and keys of host names, and the local authority. */
    tls: join(data, 'tls'),
    backups: join(data, 'backups'),
    /** Files unknown to the database: `UnknownFilesRecord`. */
    unknownFiles: join(data, 'unknown-files.json'),
    logs: join(data, 'logs'),
    /** Running `mcp dev` processes, one file for each. */
    devMarks: join(data, 'dev'),
  }
}
