import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processesNaming } from '../../test/helpers/processes.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const LEFT_OUT = new Set(['node_modules', 'dist', '.git'])
const CONFIG = `export default { test: { testTimeout: 60000, hookTimeout: 60000, expect: { poll: { timeout: 10000 } }, maxWorkers: 2, pool: 'forks' } }\n`
/** Vitest itself ends tests that wait; what loops for ever is ended by this, and counts as not run. */
const LIMIT_MS = 240_000

export interface Outcome {
  passed: number
  /** Names of the tests that failed. */
  failed: string[]
  /** What was printed, for a run without any test. */
  output: string
}

/** A copy of the project in which code may be broken; what its tests start and write ends with it. */
export class Workplace implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'mutations-'))
  readonly #copy = join(this.#directory, 'copy')
  readonly #temporary = join(this.#directory, 'tmp')

  constructor() {
    mkdirSync(this.#temporary)
    cpSync(root, this.#copy, { recursive: true, filter: path => !LEFT_OUT.has(basename(path)) })
    symlinkSync(join(root, 'node_modules'), join(this.#copy, 'node_modules'))
  }

  read(file: string): string {
    return readFileSync(join(this.#copy, file), 'utf8')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#copy, file), text)
  }

  /** Makes `dist/` of the sources as they are now. Throws when it cannot be made. */
  async build(): Promise<void> {
    const { code, output } = await this.#run(['scripts/build.ts'])
    if (code !== 0) throw new Error(output)
  }

  /** Runs test files, or the tests of them whose names hold a text, up to the first that fails. */
  async test(
    files: readonly string[],
    { named, bail }: { named?: string | undefined; bail: boolean },
  ): Promise<Outcome> {
    const report = join(this.#directory, 'report.json')
    rmSync(report, { force: true })
    this.write('vitest.mutations.ts', CONFIG)
    const options = [
      ...['--config', 'vitest.mutations.ts', '--reporter', 'json', '--outputFile', report],
      ...(bail ? ['--bail', '1'] : []),
      ...(named === undefined ? [] : ['--testNamePattern', escapePattern(named)]),
    ]
    const { output } = await this.#run(['node_modules/vitest/vitest.mjs', 'run', ...options, ...files])
    this.#endLeftovers()
    return { ...readReport(report), output }
  }

  [Symbol.dispose](): void {
    this.#endLeftovers()
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }

  #run(args: string[]): Promise<{ code: number | null; output: string }> {
    const child = spawn(process.execPath, args, {
      cwd: this.#copy,
      env: { ...process.env, NO_COLOR: '1', TMPDIR: this.#temporary },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
    })
    const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; output: string }>()
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => {
        output += text
      })
    child.once('error', reject).once('close', code => resolve({ code, output }))
    return promise
  }

  /** Daemons that a failed test left have a session of their own; all have the copy's folder in their command line or environment. */
  #endLeftovers(): void {
    for (const pid of processesNaming(this.#directory)) kill(pid)
  }
}

interface Report {
  testResults: {
    name: string
    status: string
    assertionResults: { status: string; fullName: string }[]
  }[]
}

function readReport(path: string): Omit<Outcome, 'output'> {
  const { testResults } = readJson(path) ?? { testResults: [] }
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const named = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  const whole = testResults
    .filter(({ status, assertionResults }) => status === 'failed' && !hasFailed(assertionResults))
    .map(({ name }) => `${basename(name)} as a whole`)
  return { passed: tests.filter(({ status }) => status === 'passed').length, failed: [...named, ...whole] }
}

function hasFailed(results: Report['testResults'][number]['assertionResults']): boolean {
  return results.some(({ status }) => status === 'failed')
}

function readJson(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined // killed before it could write one, or nothing could be built
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}
