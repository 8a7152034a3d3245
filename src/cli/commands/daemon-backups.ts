import { copyFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BackupEntry, RestoreReport } from '../../shared/contract/daemon/backups.ts'
import type { BackupRecord } from '../../shared/contract/daemon/daemon-health.ts'
import { counted } from '../../shared/counted.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import { HostingError } from '../../shared/errors.ts'
import { formatBytes } from '../../shared/format/metric-format.ts'
import { defineCommand } from '../command-line/command.ts'
import type { CommandContext } from '../command-line/command-context.ts'
import { EXIT, type ExitCode } from '../command-line/exit-codes.ts'
import { checkRestore, listBackups, restoreBackup, verifyBackup } from '../local-daemon/run-database-tool.ts'
import { startDaemon } from '../local-daemon/start-daemon.ts'
import { withDaemonStopped } from '../local-daemon/stop-daemon.ts'
import { confirm } from '../output/prompt.ts'

export const backup = defineCommand({
  name: 'daemon backup',
  description:
    'Back up the database, the artifacts and sources it refers to, and config.json while the daemon is running, then verify the backup. The daemon does the same daily and before every upgrade. Backups are stored in the folder "backups" of the home and in MCP_BACKUP (s3://bucket/prefix or file:///folder), if set. The newest seven are kept for each reason (manual, daily, upgrade, migration). A backup never contains secret.key. Keep a copy of that file elsewhere.',
  arguments: {
    file: { kind: 'file', doc: 'file to also copy the database to; with --verify, the backup to check' },
  },
  options: {
    list: { type: 'boolean', doc: 'list backups' },
    verify: {
      type: 'boolean',
      doc: 'verify a backup, by default the newest, and report damage',
    },
  },
  examples: {
    'mcp daemon backup': 'create a backup now',
    'mcp daemon backup --list': 'list backups',
    'mcp daemon backup --verify': 'verify the newest backup',
    'mcp daemon backup /mnt/safe/mcp.db': 'also copy the database',
  },
  async run(context, { file, list, verify }): Promise<ExitCode> {
    if (list) return showBackups(context)
    if (verify) return showProblems(context, file)
    const { output, api, cwd } = context
    const record = await output.progress('Backing up the database and its files', async () =>
      (await api()).post<BackupRecord>('/api/daemon/backup'),
    )
    const copy = file === undefined ? undefined : resolve(cwd, file)
    if (copy) copyTo(record.file, copy)
    output.result({ ...record, ...(copy && { copy }) }, () => {
      output.line(`Backed up ${contentOf(record)} to ${record.file}`)
      if (copy) output.line(`Copied the database to ${copy}`)
      if (record.sentTo) output.line(`Sent to ${record.sentTo}`)
      if (record.missing > 0)
        output.warn(`The backup lacks ${counted(record.missing, 'missing or damaged file')}. See mcp doctor.`)
    })
    if (!record.sendError) return EXIT.done
    output.error(new HostingError('UPSTREAM_FAILED', `Could not send the backup: ${record.sendError}`))
    return EXIT.unreachable
  },
})

async function showBackups({ output, env }: CommandContext): Promise<ExitCode> {
  const { items: all, storageError } = await listBackups(env)
  output.result(all, () => {
    if (all.length === 0) return output.line(storageError ? 'No backups in the home.' : 'No backups.')
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
    output.next({ description: 'Restore a backup', command: 'mcp daemon restore <name>' })
  })
  if (storageError === undefined) return EXIT.done
  output.error(
    new HostingError('UPSTREAM_FAILED', `Could not read the backups in external storage: ${storageError}`),
  )
  return EXIT.unreachable
}

async function showProblems(
  { output, env, cwd }: CommandContext,
  reference: string | undefined,
): Promise<ExitCode> {
  const { file, problems } = await output.progress('Verifying the backup', () =>
    verifyBackup(env, toReference(cwd, reference)),
  )
  output.result({ file, ok: problems.length === 0, problems }, () => {
    for (const problem of problems) output.line(problem)
    output.line(problems.length === 0 ? `${file} is valid.` : `${file} is damaged or incomplete.`)
  })
  return problems.length === 0 ? EXIT.done : EXIT.failed
}

export const restore = defineCommand({
  name: 'daemon restore',
  description:
    'Verify the backup, stop the daemon, restore missing files, replace the database in one step and start the daemon again. Later builds, deployments and changes are lost. The replaced database is kept. A backup that is damaged, has no manifest or belongs to a different secret.key is rejected without any change.',
  arguments: {
    backup: { kind: 'file', doc: 'name, file or URL of a backup (default: the newest in the home)' },
  },
  options: {
    partial: {
      type: 'boolean',
      doc: 'restore even if files or the manifest are missing or damaged',
    },
    newSecretKey: {
      type: 'boolean',
      doc: 'restore without the secret.key of the backup; values encrypted with it are lost',
    },
  },
  examples: {
    'mcp daemon restore': 'the newest backup',
    'mcp daemon restore /mnt/safe/mcp.db --partial --yes': 'a copied database, without confirmation',
  },
  async run(context, { backup: given, partial, newSecretKey }) {
    const { output, env, cwd } = context
    const reference = toReference(cwd, given)
    const flags = { partial, newSecretKey }
    const { file, createdAt } = await output.progress('Verifying the backup', () =>
      checkRestore(env, reference, flags),
    )
    const since = createdAt ? `since ${createdAt}` : 'since then'
    await confirm(context, {
      question: `Restore ${file}? Builds, deployments and changes ${since} are lost.`,
      action: `Restoring ${file}, which discards builds, deployments and changes ${since},`,
    })
    const report = await output.progress('Stopping the daemon', update =>
      withDaemonStopped(context, () => {
        update('Restoring the backup')
        return restoreBackup(env, reference, flags)
      }),
    )
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
  const { kept, files, wouldNotStart, needBuild } = report
  output.line(`Restored ${file}. The daemon is running at ${url}`)
  if (files > 0) output.line(`Restored ${counted(files, 'missing file')}`)
  if (kept) output.line(`The previous database is kept at ${kept}`)
  for (const { deployment_id, name, environment, reason } of wouldNotStart)
    output.warn(`${name} in ${environment} (${deployment_id}) cannot start: ${reason}.`)
  for (const { deployment_id, name, environment, reason } of needBuild)
    output.warn(`${name} in ${environment} (${deployment_id}) needs a new build: ${reason}.`)
  output.next({ description: 'List servers', command: 'mcp list' })
}

/** Resolves a path. A name or a URL is returned unchanged. */
function toReference(cwd: string, text: string | undefined): string | undefined {
  return text !== undefined && /[/\\]|\.db$|\.json$/.test(text) && !/^(s3|file):/.test(text)
    ? resolve(cwd, text)
    : text
}

function contentOf({ bytes, files }: Pick<BackupEntry, 'bytes' | 'files'>): string {
  return `the database and ${counted(files, 'file')} (${formatBytes(bytes)})`
}

function copyTo(from: string, to: string): void {
  try {
    copyFileSync(from, to)
  } catch (error) {
    throw new HostingError('UNAVAILABLE', `Could not write ${to}: ${(error as Error).message}.`, {
      cause: error,
    })
  }
}
