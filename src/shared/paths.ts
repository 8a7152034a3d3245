import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where everything lives (docs/decisions.md "Where things live"). All paths are absolute. */
export interface HomePaths {
  /** The data folder; with `MCP_HOME` everything lies in it. */
  home: string
  config: string
  credentials: string
  /** What signing in to MCP servers gave, mode 0600. */
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
  /** Folders of programs, their HOME. */
  programs: string
  /** Source archives that programs run from, unpacked. */
  programSources: string
  /** npm packages that programs are. */
  packages: string
  /** What can be made again: installed dependencies, results of builds. */
  cache: string
  images: string
  /** There once containers ran: what a dead daemon left of them is looked for at the next start. */
  containersUsed: string
  /** Certificates and keys of host names, and the local authority. */
  tls: string
  /** Copies of the database. */
  backups: string
  /** Since when the database has not known which files: `UnknownFilesRecord`. */
  unknownFiles: string
  logs: string
}

/** Content of `daemon.json`. `nonce` is repeated by `GET /health`, so a reused pid or port is never taken for the daemon. */
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
