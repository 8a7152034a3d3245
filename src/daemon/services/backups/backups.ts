import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { type NamedFinding, REPAIRED_CHECKS, type RepairedCheck } from '../../../shared/check.ts'
import type { BackupListing, BackupReason, BackupStatus } from '../../../shared/contract/daemon/backups.ts'
import type { Repair } from '../../../shared/contract/daemon/checks.ts'
import type { BackupRecord } from '../../../shared/contract/daemon/daemon-health.ts'
import { runDatabaseTool } from '../../../shared/database-tool.ts'
import { HostingError } from '../../../shared/errors.ts'
import { VERSION } from '../../../shared/version.ts'
import type { Store } from '../../store/store.ts'
import type { Background } from '../background.ts'

const DAY_MS = 24 * 3600_000
const FIRST_CHECK_MS = 60_000
const CHECK_EVERY_MS = 10 * 60_000
/** Process priority of the daily backup and of checks, lower than that of servers. */
const LOW_PRIORITY = 15

export interface BackupSettings {
  /** Path of `database.js`, which makes backups in a separate process. */
  program: string
  env: NodeJS.ProcessEnv
  /** Folder of the home's backups. */
  directory: string
  closing?: AbortSignal
}

/** Backups of this home. A separate process makes them, so that no request waits. */
export class Backups {
  readonly #settings: BackupSettings
  #checking: Promise<NamedFinding[]> | undefined

  constructor(settings: BackupSettings) {
    this.#settings = settings
  }

  /** Throws UNAVAILABLE for a damaged database or a full disk, and CONFLICT when another backup still runs after two minutes. */
  create(reason: BackupReason = 'manual'): Promise<BackupRecord> {
    return this.#run(['backup', reason], {
      failure: 'The backup failed',
      ...(reason === 'daily' && { onStart: lowerPriority }),
    })
  }

  list(): Promise<BackupListing> {
    return this.#run(['list'], { failure: 'Could not list the backups' })
  }

  /** Checks the machine and the home. Concurrent callers share one check, because a check reads the whole database. */
  check(): Promise<NamedFinding[]> {
    this.#checking ??= this.#run<NamedFinding[]>(['checks', String(process.pid)], {
      failure: 'Could not run the checks',
      onStart: lowerPriority,
    }).finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  /** Repairs what the given checks found, without data loss. Throws UNAVAILABLE for a file that it may not change. */
  repair(checks: readonly RepairedCheck[] = REPAIRED_CHECKS): Promise<Repair[]> {
    return this.#run(['repair', ...checks], { failure: 'The repair failed' })
  }

  #run<T>(args: string[], options: { failure: string; onStart?(pid: number): void }): Promise<T> {
    const { program, env, closing } = this.#settings
    return runDatabaseTool(args, { program, env, signal: closing, ...options })
  }

  /** Reason for a backup now. Undefined when the last one is less than a day old and was made by this version. */
  due(nowMs: number): BackupReason | undefined {
    const newestMs = this.#newestMs()
    // A backup from the future was made before the clock was set back.
    if (newestMs === undefined || Math.abs(nowMs - newestMs) > DAY_MS) return 'daily'
    const { version } = this.#status()
    return version !== undefined && version !== VERSION ? 'upgrade' : undefined
  }

  hasAny(): boolean {
    return this.#newestMs() !== undefined
  }

  #newestMs(): number | undefined {
    const { directory } = this.#settings
    const times = namesIn(directory)
      .filter(name => /^daemon-.*\.db$/.test(name))
      .map(name => statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
    return times.length > 0 ? Math.max(...times) : undefined
  }

  #status(): Partial<BackupStatus> {
    try {
      return JSON.parse(readFileSync(join(this.#settings.directory, 'status.json'), 'utf8'))
    } catch {
      return {}
    }
  }
}

/** Makes a backup every day and after an upgrade. In a home that was empty at the start, the first check is after ten minutes. */
export function watchBackups(
  { store, background, closing }: { store: Store; background: Background; closing: AbortSignal },
  backups: Backups,
  firstCheckMs = FIRST_CHECK_MS,
): void {
  const wasUsed = !store.isEmpty()
  const backUpIfDue = async () => {
    const reason = store.isEmpty() ? undefined : backups.due(Date.now())
    if (!reason || background.closing) return
    const { sendError } = await backups.create(reason)
    if (sendError)
      background.report(new HostingError('UPSTREAM_FAILED', `The backup was not sent: ${sendError}`))
  }
  let timer: NodeJS.Timeout
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      schedule(CHECK_EVERY_MS)
      background.run(backUpIfDue)
    }, delayMs).unref()
  }
  schedule(wasUsed || backups.hasAny() ? firstCheckMs : CHECK_EVERY_MS)
  closing.addEventListener('abort', () => clearTimeout(timer), { once: true })
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY)
  } catch {
    // The process has exited, or the system does not support priorities.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // there is no backup yet
  }
}
