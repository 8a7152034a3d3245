import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MODERN_CALL, mcp, startDaemon } from './daemon.ts'
import { type Duration, durationFigure, measureDuration } from './durations.ts'
import type { Figure } from './report.ts'

const ROUNDS = 15
/** A user does not save more often. The pool has replaced its spares by then. */
const PAUSE_MS = 1000
const template = fileURLToPath(new URL('../templates/custom', import.meta.url))

/**
 * `mcp dev` of a TypeScript project without dependencies: time from the write of a file until new connections reach the new
 * code. The preview is awake, as it is for a user who tries out changes.
 */
export async function benchReload(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-dev-'))
  cpSync(template, folder, { recursive: true })
  const daemon = await startDaemon()
  save(folder, 'first')
  const child = spawn(process.execPath, [mcp, 'dev', folder, '--json'], {
    env: daemon.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    return [durationFigure('from save to reloaded', await measure(folder, child), 100)]
  } finally {
    await ended(child)
    await daemon.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(folder: string, child: ChildProcess): Promise<Duration[]> {
  const nextBuild = builds(child)
  const { url } = await nextBuild()
  const reloads: Duration[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await expectAnswer(url, round === 0 ? 'first' : `round ${round - 1}`)
    await sleep(PAUSE_MS)
    reloads.push(
      await measureDuration(() => {
        save(folder, `round ${round}`)
        return nextBuild()
      }),
    )
  }
  return reloads
}

/** Returns a function that resolves with the next build, and throws if that build failed. */
function builds(child: ChildProcess): () => Promise<{ url: string }> {
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
  return async () => {
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('mcp dev exited')
      const event = JSON.parse(value)
      if (event.event === 'failed') throw new Error(event.error.message)
      if (event.event === 'built') return event
    }
  }
}

function save(folder: string, answer: string): void {
  writeFileSync(
    join(folder, 'tools/echo.ts'),
    `export default { description: 'Answers', handler: () => ${JSON.stringify(answer)} }\n`,
  )
}

async function expectAnswer(url: string, answer: string): Promise<void> {
  const response = await fetch(url, { method: 'POST', ...MODERN_CALL })
  const text = await response.text()
  if (!text.includes(answer)) throw new Error(`${url} does not answer "${answer}": ${text}`)
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise(resolve => child.once('exit', resolve))
  if (child.exitCode === null) {
    child.kill('SIGINT')
    await exit
  }
}
