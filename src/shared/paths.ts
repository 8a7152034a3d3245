import { homedir } from 'node:os'
import { join } from 'node:path'

/** Absolute paths of all files and folders (docs/decisions/daemon.md). */
export interface HomePaths {
  /** The data folder. With `MCP_HOME` it contains everything. */
  home: string
  config: string
  credentials: string
  /** Tokens from signing in to MCP servers, mode 0600. */
  signIns: string
  database: string
  /** Discovery file of the daemon, mode 0600: {@link Discovery}. */
  discovery: string
  lock: string
  /** AES key that encrypts environment variables at rest, mode 0600. */
  secretKey: string
  daemonLog: string
  artifacts: string
  sources: string
  /** HOME folders of programs. */
  programs: string
  /** Unpacked source archives of programs. */
  programSources: string
  /** Installed npm packages of programs. */
  packages: string
  /** Installed dependencies and results of builds. Can be deleted. */
  cache: string
  images: string
  /** Exists once containers ran. The next start then looks for containers left behind by a dead daemon. */
  containersUsed: string
  /** Certificates and keys of host names, and the local authority. */
  tls: string
  backups: string
  /** Files unknown to the database: `UnknownFilesRecord`. */
  unknownFiles: string
  logs: string
}

/** Content of `daemon.json`. `GET /health` proves the `nonce`, so that a reused pid or port is not mistaken for the daemon. */
export interface Discovery {
  url: string
  pid: number
  nonce: string
  startedAt: string
  version: string
}

export function homePaths(env: NodeJS.ProcessEnv = process.env): HomePaths {
  const all = env.MCP_HOME
  const data = all || join(env.XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'mcp')
  const config = all || join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'mcp')
  return {
    home: data,
    config: join(config, 'config.json'),
    credentials: join(config, 'credentials.json'),
    signIns: join(config, 'sign-ins.json'),
    database: join(data, 'daemon.db'),
    discovery: join(data, 'daemon.json'),
    lock: join(data, 'daemon.lock'),
    secretKey: join(data, 'secret.key'),
    daemonLog: join(data, 'logs', 'daemon.log'),
    artifacts: join(data, 'artifacts'),
    sources: join(data, 'sources'),
    programs: join(data, 'programs'),
    programSources: join(data, 'program-sources'),
    packages: join(data, 'packages'),
    cache: join(data, 'build-cache'),
    images: join(data, 'images'),
    containersUsed: join(data, 'containers'),
    tls: join(data, 'tls'),
    backups: join(data, 'backups'),
    unknownFiles: join(data, 'unknown-files.json'),
    logs: join(data, 'logs'),
  }
}
