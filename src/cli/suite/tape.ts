import { existsSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import type { TestResult } from '../../shared/contract/testing/test-results.ts'
import type { Cassette, RecordedResponse } from '../../shared/contract/testing/test-runs.ts'
import { HostingError } from '../../shared/errors.ts'
import type { PlannedCase } from '../../shared/suite/plan.ts'
import type { Recording } from '../../shared/suite/recording.ts'

/** One answer from a model, looked up by the digest of the request. `request` is only informational. */
interface TapeEntry {
  case: string
  /** Repetition of the case, from 0. */
  run: number
  model: string
  digest: string
  request: string
  response: RecordedResponse
}

interface TapeFile {
  format: 1
  /** ISO 8601. Recordings from earlier versions have no time. */
  recorded_at?: string
  entries: TapeEntry[]
}

/** Recorded model traffic: written by `--record`, read by `--replay` (docs/testing.md "Record and replay"). */
export class Tape implements Recording {
  readonly #mode: 'record' | 'replay'
  readonly #file: string
  readonly #entries: TapeEntry[]
  readonly replay: Recording['replay']

  /** `recording`: the recording to replay. */
  constructor(mode: 'record' | 'replay', file: string, recording?: TapeFile) {
    this.#mode = mode
    this.#file = file
    this.#entries = recording?.entries ?? []
    this.replay = recording ? { recorded_at: validTime(recording.recorded_at) } : null
  }

  /** Throws NOT_FOUND or INVALID_REQUEST. */
  static load(file: string): Tape {
    if (!existsSync(file))
      throw new HostingError('NOT_FOUND', `Recording ${file} does not exist.`, {
        next: [{ description: 'Make a recording', command: `mcp test --record ${file} …` }],
      })
    return new Tape('replay', file, parseTape(readFileSync(file, 'utf8'), file))
  }

  /** Uses the recorded model if none is given. */
  withModel<T extends Pick<PlannedCase, 'name' | 'model'>>(planned: T): T {
    if (this.#mode === 'record' || planned.model !== undefined) return planned
    return { ...planned, model: this.#entries.find(entry => entry.case === planned.name)?.model }
  }

  /** Recorded answers of the case and repetition. Falls back to the first repetition. */
  cassetteFor(planned: Pick<PlannedCase, 'name'>, run: number): Cassette {
    if (this.#mode === 'record') return { mode: 'record' }
    const ofCase = this.#entries.filter(entry => entry.case === planned.name)
    const recorded = ofCase.some(entry => entry.run === run) ? run : 0
    const entries = ofCase.filter(entry => entry.run === recorded)
    return {
      mode: 'replay',
      responses: Object.fromEntries(entries.map(({ digest, response }) => [digest, response])),
    }
  }

  keep(planned: Pick<PlannedCase, 'name'>, run: number, { recording = [], model = '' }: TestResult): void {
    for (const { digest, request, response } of recording)
      this.#entries.push({ case: planned.name, run, model, digest, request, response })
  }

  /** Writes the recording. Does nothing after a replay. */
  save(): void {
    if (this.#mode === 'replay') return
    const file: TapeFile = { format: 1, recorded_at: new Date().toISOString(), entries: this.#entries }
    writeFileAtomic(this.#file, `${JSON.stringify(file, null, 2)}\n`, 0o600)
  }
}

/** Undefined without --record and --replay. */
export function openTape({
  record,
  replay,
}: {
  record?: string | undefined
  replay?: string | undefined
}): Tape | undefined {
  if (replay !== undefined) return Tape.load(replay)
  return record === undefined ? undefined : new Tape('record', record)
}

/** Null for an invalid time, because people edit recordings, and the API rejects invalid times. */
function validTime(text: string | undefined): string | null {
  const time = new Date(text ?? Number.NaN)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

function parseTape(text: string, file: string): TapeFile {
  try {
    const tape = JSON.parse(text) as Partial<TapeFile>
    if (tape.format === 1 && Array.isArray(tape.entries)) return tape as TapeFile
  } catch {
    // Reported below.
  }
  throw new HostingError('INVALID_REQUEST', `${file} is not a recording made by mcp test.`)
}
