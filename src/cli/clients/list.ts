import { join } from 'node:path'

/** Everything a client's paths depend on. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  env: NodeJS.ProcessEnv
}

/** An MCP client and how its configuration names a server. */
export interface McpClient {
  id: string
  name: string
  format: 'json' | 'toml'
  /** Property that holds all servers. */
  key: string
  /** Path of the user's configuration. */
  userFile(machine: Machine): string
  /** Folder that exists when the client is installed. Default: the folder of `userFile`. */
  folder?(machine: Machine): string
  /** Path of a project's configuration, relative to its folder. */
  projectFile?: string
  entry(url: string): Record<string, unknown>
  /** Instruction for the user, without which the client does not see the change. */
  nextAction: string
}

/** Configuration of each client, with a link to its documentation. */
export const CLIENTS: readonly McpClient[] = [
  {
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers: the file only accepts commands.
    id: 'claude',
    name: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
    userFile: machine => join(appData(machine), 'Claude', 'claude_desktop_config.json'),
    entry: url => ({
      command: 'npx',
      args: ['-y', 'mcp-remote', url, '--transport', 'http-only', '--allow-http'],
    }),
    nextAction: 'Quit Claude Desktop completely and open it again.',
  },
  {
    // https://code.claude.com/docs/en/mcp
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    key: 'mcpServers',
    userFile: ({ home }) => join(home, '.claude.json'),
    folder: ({ home }) => join(home, '.claude'),
    projectFile: '.mcp.json',
    entry: url => ({ type: 'http', url }),
    nextAction: 'Start a new session of Claude Code; /mcp shows the server.',
  },
  {
    // https://cursor.com/docs/context/mcp
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    userFile: ({ home }) => join(home, '.cursor', 'mcp.json'),
    projectFile: join('.cursor', 'mcp.json'),
    entry: url => ({ url }),
    nextAction: 'Cursor picks up the change automatically.',
  },
  {
    // https://code.visualstudio.com/docs/agents/reference/mcp-configuration: "servers", not "mcpServers".
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    key: 'servers',
    userFile: machine => join(appData(machine), 'Code', 'User', 'mcp.json'),
    projectFile: join('.vscode', 'mcp.json'),
    entry: url => ({ type: 'http', url }),
    nextAction: 'In VS Code, start the server from the file, or with "MCP: List Servers".',
  },
  {
    // https://developers.openai.com/codex/mcp
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    userFile: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
    projectFile: join('.codex', 'config.toml'),
    entry: url => ({ url }),
    nextAction: 'Start a new session of Codex; /mcp shows the server.',
  },
  {
    // https://docs.windsurf.com/windsurf/cascade/mcp
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    key: 'mcpServers',
    userFile: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    entry: url => ({ serverUrl: url }),
    nextAction: 'Refresh the MCP servers in Cascade of Windsurf.',
  },
  {
    // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    userFile: ({ home }) => join(home, '.gemini', 'settings.json'),
    projectFile: join('.gemini', 'settings.json'),
    entry: url => ({ httpUrl: url }),
    nextAction: 'Start a new session of Gemini CLI; /mcp shows the server.',
  },
  {
    // https://zed.dev/docs/ai/mcp
    id: 'zed',
    name: 'Zed',
    format: 'json',
    key: 'context_servers',
    userFile: ({ home, env }) => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'zed', 'settings.json'),
    projectFile: join('.zed', 'settings.json'),
    entry: url => ({ url }),
    nextAction: 'Zed picks up the change automatically.',
  },
  {
    // https://opencode.ai/docs/mcp-servers
    id: 'opencode',
    name: 'OpenCode',
    format: 'json',
    key: 'mcp',
    userFile: ({ home, env }) =>
      join(env.XDG_CONFIG_HOME || join(home, '.config'), 'opencode', 'opencode.json'),
    projectFile: 'opencode.json',
    entry: url => ({ type: 'remote', url, enabled: true }),
    nextAction: 'Start a new session of OpenCode.',
  },
]

/** Settings folder of desktop programs. */
function appData({ platform, home, env }: Machine): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(home, '.config')
}
