import { join } from 'node:path'
import { CLIENT_FORMATS, type ClientFormat } from '../../shared/client-formats.ts'

/** Everything a client's paths depend on. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  env: NodeJS.ProcessEnv
}

/** Paths of a client's configuration files. */
interface ClientPlaces {
  /** Path of the user's configuration. */
  userFile(machine: Machine): string
  /** Folder that exists when the client is installed. Default: the folder of `userFile`. */
  folder?(machine: Machine): string
  /** Path of a project's configuration, relative to the project. */
  projectFile?: string
}

export type McpClient = ClientFormat & ClientPlaces

/** Configuration file of each client. */
const PLACES: Record<(typeof CLIENT_FORMATS)[number]['id'], ClientPlaces> = {
  claude: {
    userFile: machine => join(appData(machine), 'Claude', 'claude_desktop_config.json'),
  },
  'claude-code': {
    userFile: ({ home }) => join(home, '.claude.json'),
    folder: ({ home }) => join(home, '.claude'),
    projectFile: '.mcp.json',
  },
  cursor: {
    userFile: ({ home }) => join(home, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
  },
  vscode: {
    userFile: machine => join(appData(machine), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
  },
  codex: {
    userFile: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
  },
  windsurf: {
    userFile: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
  },
  gemini: {
    userFile: ({ home }) => join(home, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
  },
  zed: {
    userFile: ({ home, env }) => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed', 'settings.json'),
    projectFile: join('.zed', 'settings.json'),
  },
  opencode: {
    userFile: ({ home, env }) =>
      join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'opencode.json'),
    projectFile: 'opencode.json',
  },
}

export const CLIENTS: readonly McpClient[] = CLIENT_FORMATS.map(client => ({
  ...client,
  ...PLACES[client.id],
}))

/** Settings folder of desktop programs. */
function appData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}
