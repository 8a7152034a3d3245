import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { HostingError } from '../../shared/errors.ts'
import type { ClientFile } from './client-files.ts'
import { isLocalEntry, REMOTE_PROXY, readConfig, readEntries, urlOf } from './config.ts'
import type { Entries } from './json-config.ts'
import { CLIENTS, type McpClient } from './list.ts'

/** A server in a client's configuration, whatever the client's format. */
export interface ServerEntry {
  name: string
  /** Words of the command that starts the server. Empty for a server with a URL. */
  words: string[]
  env: Record<string, string>
  envFile?: string
  cwd?: string
  url?: string
  /** True when the URL points to this machine. */
  isLocal: boolean
  isDisabled: boolean
}

/** One client per format. A file of unknown origin has one of these formats. */
const FORMATS = ['claude-code', 'vscode', 'zed', 'opencode', 'codex']

/**
 * A client whose configuration has the format of the file. Throws INVALID_REQUEST when the file lists no servers, and NOT_FOUND
 * when it does not exist.
 */
export async function clientOfFile(path: string): Promise<ClientFile> {
  const file = resolve(path)
  if (!existsSync(file))
    throw new HostingError('NOT_FOUND', `${path} is neither a client nor a file.`, {
      details: `Clients: ${CLIENTS.map(({ id }) => id).join(', ')}`,
    })
  const format = file.endsWith('.toml') ? 'toml' : 'json'
  for (const id of FORMATS) {
    const client = CLIENTS.find(one => one.id === id)!
    if (client.format !== format) continue
    if (Object.keys(await readEntries(client, readConfig(file), file)).length > 0) return { client, file }
  }
  throw new HostingError(
    'INVALID_REQUEST',
    `${path} lists no MCP servers. They belong under a key such as "mcpServers".`,
  )
}

/** Servers in a configuration, in the order of the file. Throws INVALID_REQUEST for a damaged file. */
export async function listServerEntries(client: McpClient, file: string): Promise<ServerEntry[]> {
  const entries: Entries = await readEntries(client, readConfig(file), file)
  return Object.entries(entries).map(([name, entry]) => toServerEntry(name, Object(entry)))
}

function toServerEntry(name: string, entry: Record<string, unknown>): ServerEntry {
  const words = wordsOf(entry)
  const url = words.length === 0 || words.some(word => REMOTE_PROXY.test(word)) ? urlOf(entry) : undefined
  return {
    name,
    words: url === undefined ? words : [],
    env: textsOf(entry.env ?? entry.environment),
    ...(typeof entry.envFile === 'string' && { envFile: entry.envFile }),
    ...(typeof entry.cwd === 'string' && { cwd: entry.cwd }),
    ...(url !== undefined && { url }),
    isLocal: isLocalEntry(entry),
    isDisabled: entry.disabled === true || entry.enabled === false,
  }
}

/** `command` is a string with `args`, a list (OpenCode), or an object (older versions of Zed). */
function wordsOf({ command, args }: Record<string, unknown>): string[] {
  if (Array.isArray(command)) return command.map(String)
  if (typeof command === 'object' && command !== null) {
    const { path, args: own } = command as Record<string, unknown>
    return wordsOf({ command: path, args: own })
  }
  return typeof command === 'string' && command !== ''
    ? [command, ...(Array.isArray(args) ? args.map(String) : [])]
    : []
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(Object(value)).map(([name, text]) => [name, String(text)]))
}
