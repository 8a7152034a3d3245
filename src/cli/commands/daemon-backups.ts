import { copyFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BackupRecord } from '../../shared/daemon-health.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { defineCommand } from '../command.ts'
import { startDaemon } from '../daemon-client.ts'
import { checkDatabase, listBackups, momentOfBackup, restoreDatabase } from '../database-tool.ts'
import { whileStopped } from '../end-daemon.ts'
import { confirm } from '../prompt.ts'
import { shellWord } from '../shell-word.ts'

export const backup = defineCommand({
  name: 'daemon backup',
  summary: "copy the daemon's database while it runs",
  description:
    'Makes a consistent copy of the database in the folder "backups" of the home, of which the newest 10 are kept, and another one where you say. The copy holds what was acknowledged; artifacts, sources and secret.key are files of the home, to be copied beside it.',
  arguments: { file: { doc: 'where a copy should lie as well' } },
  examples: [{ command: 'mcp daemon backup /mnt/safe/mcp.db', does: 'there and in the home' }],
  async run({ output, api, cwd }, { file }) {
    const record = await (await api()).post<BackupRecord>('/api/daemon/backup')
    const copy = file === undefined ? undefined : resolve(cwd, file)
    if (copy) copyTo(record.file, copy)
    output.result({ ...record, ...(copy && { copy }) }, () => {
      output.line(`Backed up the database to ${copy ?? record.file} (${Math.ceil(record.bytes / 1024)} KB)`)
    })
  },
})

export const restore = defineCommand({
  name: 'daemon restore',
  summary: "put a backup in the place of the daemon's database",
  description:
    'Stops the daemon, puts the newest backup of the home, or the one you name, in the place of its database, and starts it again. What was built, deployed or changed since then is forgotten. The database that was there is kept beside it under another name. A backup that is not sound is refused, and nothing changes.',
  arguments: { file: { doc: 'a backup; without it the newest one of the home' } },
  examples: [
    { command: 'mcp daemon restore', does: 'the newest backup; asks first' },
    { command: 'mcp daemon restore /mnt/safe/mcp.db --yes', does: 'that one, without asking' },
  ],
  async run(context, { file }) {
    const { output, env, paths, cwd } = context
    const from = file === undefined ? newestBackup(paths) : existingFile(resolve(cwd, file))
    const moment = momentOfBackup(from)
    const since = moment ? `since ${moment.toISOString()}` : 'since then'
    const { problems } = await checkDatabase(env, from)
    if (problems.length > 0) throw unsoundBackup(from, problems, paths)
    await confirm(context, `Restore ${from}? What was built, deployed or changed ${since} is forgotten.`)
    const { kept } = await whileStopped(context, () => restoreDatabase(env, from))
    const { url } = await output.progress('Starting the daemon', () => startDaemon(context))
    output.result({ restored: from, kept, url }, () => {
      output.line(`Restored ${from}; the daemon runs at ${url}`)
      if (kept) output.line(`The database that was there is kept as ${kept}`)
      output.next({ description: 'See what there is', command: 'mcp list' })
    })
  },
})

function newestBackup(paths: HomePaths): string {
  const [newest] = listBackups(paths)
  if (newest) return newest
  throw new HostingError('NOT_FOUND', `There is no backup in ${paths.backups}.`, {
    next: [{ description: 'Name a file', command: 'mcp daemon restore <file>' }],
  })
}

function existingFile(file: string): string {
  if (existsSync(file)) return file
  throw new HostingError('NOT_FOUND', `There is no file ${file}.`)
}

function unsoundBackup(from: string, problems: string[], paths: HomePaths): HostingError {
  const all = listBackups(paths)
  const older = all[all.indexOf(from) + 1]
  return new HostingError(
    'INVALID_REQUEST',
    `${from} cannot be restored: ${problems[0]}. Nothing was changed.`,
    {
      ...(problems.length > 1 && { details: problems.slice(1).join('\n') }),
      next: older
        ? [{ description: 'Restore the one before it', command: `mcp daemon restore ${shellWord(older)}` }]
        : [],
    },
  )
}

function copyTo(from: string, to: string): void {
  try {
    copyFileSync(from, to)
  } catch (error) {
    throw new HostingError('UNAVAILABLE', `${to} was not written: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
