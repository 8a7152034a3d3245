/** An MCP client and how its configuration names a server. */
export interface ClientFormat {
  id: string
  name: string
  format: 'json' | 'toml'
  /** Property that holds all servers. */
  key: string
  entry(url: string): Record<string, unknown>
  /** Tells the user how the client picks up the change. */
  nextAction: string
}

/** Configuration of each client, with a link to its documentation. */
export const CLIENT_FORMATS = [
  {
    // https://modelcontextprotocol.io/docs/develop/connect-local-servers: the file only accepts commands.
    id: 'claude',
    name: 'Claude Desktop',
    format: 'json',
    key: 'mcpServers',
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
    entry: url => ({ type: 'http', url }),
    nextAction: 'Start a new Claude Code session and run /mcp to see the server.',
  },
  {
    // https://cursor.com/docs/context/mcp
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    key: 'mcpServers',
    entry: url => ({ url }),
    nextAction: 'Cursor picks up the change automatically.',
  },
  {
    // https://code.visualstudio.com/docs/agents/reference/mcp-configuration: "servers", not "mcpServers".
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    key: 'servers',
    entry: url => ({ type: 'http', url }),
    nextAction: 'In VS Code, start the server from the file, or with "MCP: List Servers".',
  },
  {
    // https://developers.openai.com/codex/mcp
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    key: 'mcp_servers',
    entry: url => ({ url }),
    nextAction: 'Start a new Codex session and run /mcp to see the server.',
  },
  {
    // https://docs.windsurf.com/windsurf/cascade/mcp
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    key: 'mcpServers',
    entry: url => ({ serverUrl: url }),
    nextAction: "Refresh the MCP servers in Windsurf's Cascade panel.",
  },
  {
    // https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'json',
    key: 'mcpServers',
    entry: url => ({ httpUrl: url }),
    nextAction: 'Start a new Gemini CLI session and run /mcp to see the server.',
  },
  {
    // https://zed.dev/docs/ai/mcp
    id: 'zed',
    name: 'Zed',
    format: 'json',
    key: 'context_servers',
    entry: url => ({ url }),
    nextAction: 'Zed picks up the change automatically.',
  },
  {
    // https://opencode.ai/docs/mcp-servers
    id: 'opencode',
    name: 'OpenCode',
    format: 'json',
    key: 'mcp',
    entry: url => ({ type: 'remote', url, enabled: true }),
    nextAction: 'Start a new OpenCode session.',
  },
] as const satisfies readonly ClientFormat[]
