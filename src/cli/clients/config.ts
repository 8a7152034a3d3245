import { copyFileSync, existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { type Entries, editJson, readJsonEntries } from './json-config.ts'
import type { McpClient } from './list.ts'
import { editToml, readTomlEntries } from './toml-config.ts'

export interface ConfigChange {
  file: string
  /** False when the file needed no change. */
  changed: boolean
  /** Path of the copy of the previous file. Undefined when no file was replaced. */
  backup: string | undefined
}

/**
 * Adds a server to a client's configuration. Throws CONFLICT when a different entry with that name does not point to this
 * machine, unless `force` is set.
 */
export async function connectClient(
  client: McpClient,
  file: string,
  server: { name: string; url: string },
  force = false,
): Promise<ConfigChange> {
  const text = readConfig(file)
  const present = entryOf(await readEntries(client, text, file), server.name)
  const entry = client.entry(server.url)
  if (isDeepStrictEqual(present, entry)) return { file, changed: false, backup: undefined }
  if (present && !force && !isLocalEntry(present))
    throw new HostingError(
      'CONFLICT',
      `${file} already has another server "${server.name}": ${urlOf(present) ?? 'a command'}.`,
      { next: [{ description: 'Choose another name with --name, or overwrite it with --force' }] },
    )
  return write(file, await edit(client, text, file, server.name, entry))
}

/** Removes a server from a client's configuration. `changed` is false when it had no such entry. */
export async function disconnectClient(client: McpClient, file: string, name: string): Promise<ConfigChange> {
  const text = readConfig(file)
  const present = entryOf(await readEntries(client, text, file), name)
  if (!present) return { file, changed: false, backup: undefined }
  return write(file, await edit(client, text, file, name, undefined))
}

/** Servers with a URL in a client's configuration. Empty when there is no file. */
export async function listConnected(
  client: McpClient,
  file: string,
): Promise<{ name: string; url: string }[]> {
  if (!existsSync(file)) return []
  const entries = await readEntries(client, readConfig(file), file)
  return Object.entries(entries).flatMap(([name, entry]) => {
    const url = urlOf(entry)
    return url ? [{ name, url }] : []
  })
}

/** Text to paste into the configuration by hand. */
export async function snippetFor(client: McpClient, server: { name: string; url: string }): Promise<string> {
  const value = { [client.key]: { [server.name]: client.entry(server.url) } }
  if (client.format === 'json') return JSON.stringify(value, null, 2)
  const { stringify } = await import('smol-toml')
  return stringify(value).trim()
}

/** Servers in a configuration, by name. Throws INVALID_REQUEST for a damaged file. */
export function readEntries(client: McpClient, text: string, file: string): Promise<Entries> {
  return client.format === 'toml'
    ? readTomlEntries(text, client.key, file)
    : readJsonEntries(text, client.key, file)
}

/** Ignores properties of Object.prototype, such as "constructor". */
export function entryOf(entries: Entries, name: string): Entries[string] | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined
}

/** Text of the configuration with one server set, or removed when `entry` is undefined. */
export function edit(
  client: McpClient,
  text: string,
  file: string,
  name: string,
  entry: Record<string, unknown> | undefined,
): Promise<string> {
  const path = [client.key, name] as const
  return client.format === 'toml' ? editToml(text, path, entry, file) : editJson(text, path, entry)
}

/** Empty when there is no file. */
export function readConfig(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw new HostingError('INVALID_REQUEST', `Could not read ${file}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}

/** Replaces the file and keeps a copy of the previous one. */
export function write(file: string, text: string): ConfigChange {
  if (!existsSync(file)) {
    writeFileAtomic(file, text)
    return { file, changed: true, backup: undefined }
  }
  // A rename would replace a symbolic link, for example into a dotfiles repository.
  const real = realpathSync(file)
  const backup = `${real}.bak`
  copyFileSync(real, backup)
  writeFileAtomic(real, text, statSync(real).mode & 0o777)
  return { file, changed: true, backup }
}

/** Program that connects clients without HTTP to a URL. */
export const REMOTE_PROXY = /(^|[\\/])mcp-remote(@.*)?$/

/** URL of a server. The member that holds it differs from client to client. Other commands may take unrelated URLs. */
export function urlOf(entry: Record<string, unknown>): string | undefined {
  const words = [entry.command, ...(Array.isArray(entry.args) ? entry.args : [])]
  const isProxy = words.some(word => REMOTE_PROXY.test(String(word)))
  const values = [entry.url, entry.serverUrl, entry.httpUrl, ...(isProxy ? words : [])]
  return values.find((value): value is string => /^https?:\/\//.test(String(value)))
}

/** True for a server on this machine. */
export function isLocalEntry(entry: Record<string, unknown>): boolean {
  const hostname = URL.parse(urlOf(entry) ?? '')?.hostname ?? ''
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}
