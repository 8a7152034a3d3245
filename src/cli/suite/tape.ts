import { existsSync, readFileSync } from 'node:fs'
import { writeFileAtomic } from '../../shared/atomic-file.ts'
import { HostingError } from '../../shared/errors.ts'
import type { TestResult } from '../../shared/test-results.ts'
import type { Cassette, RecordedResponse } from '../../shared/test-runs.ts'
import type { PlannedCase } from './plan.ts'

/** One answer of a model. `request` is there for people: the digest alone decides. */
interface TapeEntry {
  case: string
  /** Which of the case's repetitions, from 0. */
  run: number
  model: string
  digest: string
  request: string
  response: RecordedResponse
}

interface TapeFile {
  format: 1
  entries: TapeEntry[]
}

/** Model traffic in a file: made by `--record`, played by `--replay` (docs/testing.md "Record and replay"). */
export class Tape {
  readonly #mode: 'record' | 'replay'
  readonly #file: string
  readonly #entries: TapeEntry[]

  constructor(mode: 'record' | 'replay', file: string, entries: TapeEntry[] = []) {
    this.#mode = mode
    this.#file = file
    this.#entries = entries
  }

  /** Throws NOT_FOUND or INVALID_REQUEST for a file that cannot be played. */
  static load(file: string): Tape {
    if (!existsSync(file))
      throw new HostingError('NOT_FOUND', `There is no recording ${file}.`, {
        next: [{ description: 'Make one', command: `mcp test --record ${file} …` }],
      })
    return new Tape('replay', file, parseTape(readFileSync(file, 'utf8'), file).entries)
  }

  /** A replay without a named model is of the one that was recorded. */
  withModel<T extends Pick<PlannedCase, 'name' | 'model'>>(planned: T): T {
    if (this.#mode === 'record' || planned.model !== undefined) return planned
    return { ...planned, model: this.#entries.find(entry => entry.case === planned.name)?.model }
  }

  /** What a request carries: the answers of its case and repetition, the first one's for repetitions that were not recorded. */
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

  /** Writes what was recorded; nothing after a replay. */
  save(): void {
    if (this.#mode === 'replay') return
    const file: TapeFile = { format: 1, entries: this.#entries }
    writeFileAtomic(this.#file, `${JSON.stringify(file, null, 2)}\n`, 0o600)
  }
}

/** Undefined when nothing is recorded or replayed. */
export function openTape({
  record,
  replay,
}: {
  record: string | undefined
  replay: string | undefined
}): Tape | undefined {
  if (replay !== undefined) return Tape.load(replay)
  return record === undefined ? undefined : new Tape('record', record)
}

function parseTape(text: string, file: string): TapeFile {
  try {
    const tape = JSON.parse(text) as Partial<TapeFile>
    if (tape.format === 1 && Array.isArray(tape.entries)) return tape as TapeFile
  } catch {
    // Told below, like JSON of another kind.
  }
  throw new HostingError('INVALID_REQUEST', `${file} is no recording of mcp test.`)
}
