import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import type { BackupReason, BackupStatus } from '../../shared/backups.ts'
import type { BackupRecord } from '../../shared/daemon-health.ts'
import { type ErrorBody, type ErrorCode, HostingError, type NextStep } from '../../shared/errors.ts'
import { VERSION } from '../../shared/version.ts'
import type { Rooms } from './rooms.ts'

const DAY_MS = 24 * 3600_000
const FIRST_LOOK_MS = 60_000
const LOOK_EVERY_MS = 10 * 60_000
/** Of the process that makes a backup nobody waits for; servers go first. */
const LOW_PRIORITY = 15

export interface BackupSettings {
  /** `database.js`, which makes backups in a process of its own. */
  program: string
  env: NodeJS.ProcessEnv
  /** Folder of the home's backups. */
  directory: string
  closing?: AbortSignal
}

/** Backups of this home, made by another process, so that no request waits for them. */
export class Backups {
  readonly #settings: BackupSettings

  constructor(settings: BackupSettings) {
    this.#settings = settings
  }

  /** Throws what the program throws: UNAVAILABLE for a damaged database or a full disk, CONFLICT for one under way. */
  create(reason: BackupReason = 'manual'): Promise<BackupRecord> {
    const { program, env, closing } = this.#settings
    return new Promise((resolve, reject) => {
      const options = { env, maxBuffer: 64 * 1024 * 1024, ...(closing && { signal: closing }) }
      const child = execFile(
        process.execPath,
        [program, 'backup', reason],
        options,
        (error, stdout, stderr) => {
          if (error) reject(toBackupError(error, stderr))
          else resolve(JSON.parse(stdout))
        },
      )
      if (reason === 'daily' && child.pid !== undefined) lowerPriority(child.pid)
    })
  }

  /** Why a backup should be made now; undefined when the last one is of today and of this version. */
  due(nowMs: number): BackupReason | undefined {
    const newestMs = this.#newestMs()
    // One from the future was made before the clock was set back.
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

/** Makes a backup a day. A home that was empty at the start gets its first one after ten minutes. */
export function watchBackups(
  { store, background, closing }: Pick<Rooms, 'store' | 'background' | 'closing'>,
  backups: Backups,
): void {
  const wasUsed = !store.isEmpty()
  const look = async () => {
    const reason = store.isEmpty() ? undefined : backups.due(Date.now())
    if (!reason || background.closing) return
    const { sendError } = await backups.create(reason)
    if (sendError)
      background.report(new HostingError('UPSTREAM_FAILED', `The backup was not sent: ${sendError}`))
  }
  let timer: NodeJS.Timeout
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      schedule(LOOK_EVERY_MS)
      background.run(look)
    }, delayMs).unref()
  }
  schedule(wasUsed || backups.hasAny() ? FIRST_LOOK_MS : LOOK_EVERY_MS)
  closing.addEventListener('abort', () => clearTimeout(timer), { once: true })
}

/** The error that the program printed. */
function toBackupError(cause: Error, stderr: string): HostingError {
  const line = stderr.split('\n').find(one => one.startsWith('{"error":'))
  if (line === undefined)
    return new HostingError('UNAVAILABLE', `The backup failed: ${cause.message.split('\n', 1)[0]}`, { cause })
  const { code, message, details, next } = (JSON.parse(line) as { error: ErrorBody & { next?: NextStep[] } })
    .error
  return new HostingError(code as ErrorCode, message, { details, next, cause })
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, LOW_PRIORITY)
  } catch {
    // It has ended, or the system has no such thing.
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // no backup was made yet
  }
}
