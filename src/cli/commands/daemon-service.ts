import { copyFileSync, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BackupRecord } from '../../shared/daemon-health.ts'
import { HostingError } from '../../shared/errors.ts'
import type { HomePaths } from '../../shared/paths.ts'
import { defineCommand } from '../command.ts'
import { daemonProgram, findDaemon, startDaemon } from '../daemon-client.ts'
import { checkDatabase, listBackups, momentOfBackup, restoreDatabase } from '../database-tool.ts'
import { endDaemon } from '../end-daemon.ts'
import { confirm } from '../prompt.ts'
import { installService, serviceManager, uninstallService } from '../service/manager.ts'
import { serviceEnvironment } from '../service/unit.ts'
import { stopDaemon } from '../stop-daemon.ts'
import { waitFor } from '../wait-for.ts'

export const install = defineCommand({
  name: 'daemon install',
  summary: 'start the daemon with every login, as a service of yours',
  description:
    'Writes a systemd user unit or a launchd agent and enables it; no root is needed. MCP_HOME, MCP_PORT and the like are kept as they are now. A daemon that runs is stopped first and started again by the service manager.',
  options: { print: { type: 'boolean', doc: 'only show the file' } },
  examples: [
    { command: 'mcp daemon install', does: 'now and with every login' },
    { command: 'mcp daemon install --print', does: 'the file alone' },
  ],
  async run(context, { print }) {
    const { output, env, paths, globals, signal } = context
    const manager = serviceManager(env)
    const spec = {
      node: process.execPath,
      program: daemonProgram(),
      env: serviceEnvironment(env),
      logPath: paths.daemonLog,
    }
    const content = manager.content(spec)
    if (print) return output.result({ file: manager.path, content }, () => output.line(content.trimEnd()))
    const running = await findDaemon(paths)
    if (running) await stopDaemon(running, context)
    try {
      await installService(manager, spec)
    } catch (error) {
      // Its servers are not to go down because there is no service manager.
      if (running) await startDaemon(context)
      throw error
    }
    const daemon = await output.progress('Waiting for the daemon', () =>
      waitFor({
        read: () => findDaemon(paths),
        isDone: found => found !== undefined,
        subject: 'The daemon',
        timeoutMs: globals.timeout,
        signal,
      }),
    )
    output.result({ file: manager.path, url: daemon?.url }, () => {
      output.line(`Installed the daemon as a service: ${manager.path}`)
      output.line(`It runs at ${daemon?.url}`)
      if (manager.hint) output.next(manager.hint)
    })
  },
})

export const uninstall = defineCommand({
  name: 'daemon uninstall',
  summary: 'stop the service and remove it',
  description:
    'Removes what "mcp daemon install" made. Servers and their data stay; the next command starts a daemon on demand.',
  examples: [{ command: 'mcp daemon uninstall', does: 'not installed is fine too' }],
  async run({ output, env }) {
    const manager = serviceManager(env)
    const removed = await uninstallService(manager)
    output.result({ removed, file: manager.path }, () =>
      output.line(
        removed ? `Removed the service ${manager.path}` : 'The daemon is not installed as a service.',
      ),
    )
  },
})

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
    await confirm(context, `Restore ${from}? What was built, deployed or changed ${since} is forgotten.`)
    const { problems } = await checkDatabase(env, from)
    if (problems.length > 0) throw unsoundBackup(from, problems, paths)
    await endDaemon(context)
    const { kept } = await restoreDatabase(env, from)
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
        ? [{ description: 'Restore the one before it', command: `mcp daemon restore ${older}` }]
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
