import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processesNaming } from '../../test/helpers/processes.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const EXCLUDED = new Set(['node_modules', 'dist', '.git', '.stryker-tmp'])
const CONFIG = `export default { test: { testTimeout: 60000, hookTimeout: 60000, expect: { poll: { timeout: 10000 } }, maxWorkers: 2, pool: 'forks' } }\n`
/** Time limit for a run. Vitest stops tests that wait, but not tests that loop forever. */
const LIMIT_MS = 240_000

export interface Outcome {
  passed: number
  /** Names of the tests that failed. */
  failed: string[]
  /** Printed output, for a run without any test. */
  output: string
}

/** A copy of the project for faulty code. Its processes and files are removed with it. */
export class Workplace implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), 'faults-'))
  readonly #copy = join(this.#directory, 'copy')
  readonly #temporary = join(this.#directory, 'tmp')

  constructor() {
    mkdirSync(this.#temporary)
    cpSync(root, this.#copy, { recursive: true, filter: path => !EXCLUDED.has(basename(path)) })
    symlinkSync(join(root, 'node_modules'), join(this.#copy, 'node_modules'))
  }

  read(file: string): string {
    return readFileSync(join(this.#copy, file), 'utf8')
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.#copy, file), text)
  }

  /** Builds `dist/` from the current sources. Throws when the build fails. */
  async build(): Promise<void> {
    const { code, output } = await this.#run(['scripts/build.ts'])
    if (code !== 0) throw new Error(output)
  }

  /** Runs test files. With `bail`, stops at the first failure. */
  async test(files: readonly string[], { bail }: { bail: boolean }): Promise<Outcome> {
    const report = join(this.#directory, 'report.json')
    rmSync(report, { force: true })
    this.write('vitest.faults.ts', CONFIG)
    const options = [
      ...['--config', 'vitest.faults.ts', '--reporter', 'json', '--outputFile', report],
      ...(bail ? ['--bail', '1'] : []),
    ]
    const { output } = await this.#run(['node_modules/vitest/vitest.mjs', 'run', ...options, ...files])
    this.#killLeftovers()
    return { ...readReport(report), output }
  }

  [Symbol.dispose](): void {
    this.#killLeftovers()
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

  /**
   * Kills daemons that a failed test left running. They are in another process group, but their command line or environment names
   * the copy.
   */
  #killLeftovers(): void {
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
  const tested = tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName)
  const whole = testResults
    .filter(({ status, assertionResults }) => status === 'failed' && !hasFailed(assertionResults))
    .map(({ name }) => `${basename(name)} as a whole`)
  return { passed: tests.filter(({ status }) => status === 'passed').length, failed: [...tested, ...whole] }
}

function hasFailed(results: Report['testResults'][number]['assertionResults']): boolean {
  return results.some(({ status }) => status === 'failed')
}

function readJson(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined // The run was killed before it could write a report.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has just exited.
  }
}
