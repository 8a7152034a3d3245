import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import { type ConfigChange, edit, entryOf, isLocalEntry, readConfig, readEntries, write } from './config.ts'
import type { Entries } from './json-config.ts'
import type { McpClient } from './list.ts'

/**
 * Points servers in a configuration at new URLs, in one change. The previous entries are stored next to the configuration,
 * with mode 0600, until `restoreServers` puts them back.
 */
export async function replaceServers(
  client: McpClient,
  file: string,
  servers: readonly { name: string; url: string }[],
): Promise<ConfigChange> {
  let text = readConfig(file)
  const present = await readEntries(client, text, file)
  const replaced = servers.filter(
    ({ name, url }) => !isDeepStrictEqual(entryOf(present, name), client.entry(url)),
  )
  if (replaced.length === 0) return { file, changed: false, backup: undefined }
  for (const { name, url } of replaced) text = await edit(client, text, file, name, client.entry(url))
  // The originals are stored before the change, so that a crash between the two loses nothing.
  storeOriginals(file, present, replaced)
  return write(file, text)
}

/**
 * Puts back the entries that `replaceServers` replaced, if they still point to this machine. Keeps the stored entries when none
 * does. Throws NOT_FOUND when no entries were replaced.
 */
export async function restoreServers(
  client: McpClient,
  file: string,
): Promise<{ change: ConfigChange; restored: string[] }> {
  const originals = readOriginals(file)
  if (!originals) throw new HostingError('NOT_FOUND', `No import changed ${file}.`)
  let text = readConfig(file)
  const present = await readEntries(client, text, file)
  const restored = Object.keys(originals).filter(name => isLocalEntry(entryOf(present, name) ?? {}))
  for (const name of restored) text = await edit(client, text, file, name, originals[name])
  if (restored.length === 0) return { change: { file, changed: false, backup: undefined }, restored }
  const change = write(file, text)
  rmSync(originalsOf(file))
  return { change, restored }
}

/** Keeps a stored original while the present entry points to this machine, because an earlier import wrote the present entry. */
function storeOriginals(file: string, present: Entries, replaced: readonly { name: string }[]): void {
  const stored = readOriginals(file) ?? {}
  for (const { name } of replaced) {
    const entry = entryOf(present, name)
    if (entry && !(Object.hasOwn(stored, name) && isLocalEntry(entry))) stored[name] = entry
  }
  writeFileAtomic(originalsOf(file), `${JSON.stringify(stored, null, 2)}\n`, 0o600)
}

function readOriginals(file: string): Entries | undefined {
  const path = originalsOf(file)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}

function originalsOf(file: string): string {
  return `${existsSync(file) ? realpathSync(file) : file}.before-import`
}
