import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BackupEntry, RestoreReport } from '../../shared/backups.ts'
import type { BackupRecord } from '../../shared/daemon-health.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { defineCommand } from '../command.ts'
import type { CommandContext } from '../command-context.ts'
import { startDaemon } from '../daemon-client.ts'
import { checkRestore, listBackups, restoreBackup, verifyBackup } from '../database-tool.ts'
import { whileStopped } from '../end-daemon.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { formatBytes } from '../format-bytes.ts'
import { confirm } from '../prompt.ts'

export const backup = defineCommand({
  name: 'daemon backup',
  summary: 'back up the database and the files that it refers to',
  description:
    'Backs up the database, all artifacts and sources that it refers to, and config.json, while the daemon runs, and reads the backup back. The daemon does the same daily and before every upgrade. Backups are stored in the folder "backups" of the home and, with MCP_BACKUP=s3://bucket/prefix or file:///folder, there as well. Seven are kept for each reason. The secret.key is never part of a backup: keep a copy of it elsewhere.',
  arguments: { file: { doc: 'copy the database to this file as well; with --verify the backup to read' } },
  options: {
    list: { type: 'boolean', doc: 'list the backups instead' },
    verify: {
      type: 'boolean',
      doc: 'read all of a backup, the newest by default, and report what is damaged',
    },
  },
  examples: [
    { command: 'mcp daemon backup', does: 'make one now' },
    { command: 'mcp daemon backup --list', does: 'see what there is' },
    { command: 'mcp daemon backup --verify', does: 'check every byte of the newest one' },
    { command: 'mcp daemon backup /mnt/safe/mcp.db', does: 'and a copy of the database there' },
  ],
  async run(context, { file, list, verify }): Promise<ExitCode> {
    if (list) return showBackups(context)
    if (verify) return showProblems(context, file)
    const { output, api, cwd } = context
    const record = await (await api()).post<BackupRecord>('/api/daemon/backup')
    const copy = file === undefined ? undefined : resolve(cwd, file)
    if (copy) copyTo(record.file, copy)
    output.result({ ...record, ...(copy && { copy }) }, () => {
      output.line(`Backed up ${contentOf(record)} to ${record.file}`)
      if (copy) output.line(`Copied the database to ${copy}`)
      if (record.sentTo) output.line(`Sent to ${record.sentTo}`)
      if (record.missing > 0) output.warn(`${record.missing} files were missing or damaged: see mcp doctor.`)
    })
    if (!record.sendError) return EXIT.done
    output.error(new HostingError('UPSTREAM_FAILED', `The backup was not sent: ${record.sendError}`))
    return EXIT.unreachable
  },
})

async function showBackups({ output, env }: CommandContext): Promise<ExitCode> {
  const all = await listBackups(env)
  output.result(all, () => {
    if (all.length === 0) return output.line('There are no backups.')
    output.table(
      ['name', 'age', 'reason', 'size', 'files', 'stored in'],
      all.map(one => [
        one.name,
        one.createdAt ? formatDurationMs(Math.max(0, Date.now() - Date.parse(one.createdAt))) : '',
        one.reason ?? '',
        formatBytes(one.bytes),
        one.missing > 0 ? `${one.files} (${one.missing} missing)` : String(one.files),
        one.file,
      ]),
    )
    output.next({ description: 'Restore one', command: 'mcp daemon restore <name>' })
  })
  return EXIT.done
}

async function showProblems(
  { output, env, cwd }: CommandContext,
  reference: string | undefined,
): Promise<ExitCode> {
  const { file, problems } = await verifyBackup(env, toReference(cwd, reference))
  output.result({ file, ok: problems.length === 0, problems }, () => {
    for (const problem of problems) output.line(problem)
    output.line(problems.length === 0 ? `${file} is sound.` : `${file} is damaged.`)
  })
  return problems.length === 0 ? EXIT.done : EXIT.failed
}

export const restore = defineCommand({
  name: 'daemon restore',
  summary: 'restore a backup',
  description:
    'Verifies all of a backup, stops the daemon, puts back the files that the home lacks, replaces the database in one step and starts the daemon again. What was built, deployed or changed since then is forgotten. The replaced database is kept next to it. A damaged backup, or one made with another secret.key, is refused and nothing changes.',
  arguments: { backup: { doc: 'name, file or address of a backup; default: the newest of the home' } },
  options: {
    partial: { type: 'boolean', doc: 'restore although files are missing or damaged in the backup' },
    newSecretKey: {
      type: 'boolean',
      doc: 'restore without the secret.key of the backup; values encrypted with it are lost',
    },
  },
  examples: [
    { command: 'mcp daemon restore', does: 'the newest backup; asks first' },
    { command: 'mcp daemon restore /mnt/safe/mcp.db --yes', does: 'that one, without asking' },
  ],
  async run(context, { backup: given, partial, newSecretKey }) {
    const { output, env, cwd } = context
    const reference = toReference(cwd, given)
    const flags = { partial, newSecretKey }
    const { file, createdAt } = await output.progress('Verifying the backup', () =>
      checkRestore(env, reference, flags),
    )
    const since = createdAt ? `since ${createdAt}` : 'since then'
    await confirm(context, `Restore ${file}? What was built, deployed or changed ${since} is forgotten.`)
    const report = await whileStopped(context, () => restoreBackup(env, reference, flags))
    const { url } = await output.progress('Starting the daemon', () =>
      startDaemon(context, newSecretKey ? ['--new-secret-key'] : []),
    )
    output.result({ restored: file, ...report, url }, () => reportRestore(context, { file, url, report }))
  },
})

function reportRestore(
  { output }: CommandContext,
  { file, url, report }: { file: string; url: string; report: RestoreReport },
): void {
  const { kept, files, wouldNotStart } = report
  output.line(`Restored ${file}; the daemon runs at ${url}`)
  if (files > 0) output.line(`Put ${files} missing file${files === 1 ? '' : 's'} back`)
  if (kept) output.line(`The replaced database is kept as ${kept}`)
  for (const { deployment_id, name, environment, reason } of wouldNotStart)
    output.warn(`${name} in ${environment} (${deployment_id}) does not start: ${reason}.`)
  output.next({ description: 'See what there is', command: 'mcp list' })
}

/** A path is resolved here; a name or an address stays as it is. */
function toReference(cwd: string, text: string | undefined): string | undefined {
  return text !== undefined && /[/\\]|\.db$|\.json$/.test(text) && !/^(s3|file):/.test(text)
    ? resolve(cwd, text)
    : text
}

function contentOf({ bytes, files }: Pick<BackupEntry, 'bytes' | 'files'>): string {
  return `the database and ${files} file${files === 1 ? '' : 's'} (${formatBytes(bytes)})`
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
