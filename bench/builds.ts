import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type BenchDaemon, startDaemon } from './daemon.ts'
import { type Duration, durationFigure, measureDuration } from './durations.ts'
import type { Figure } from './report.ts'

const ROUNDS = 11
/** Number of daemons, for the first build of each. */
const FIRST_ROUNDS = 9
/** Long enough for the pool to start its next spare, which must not be measured. */
const REFILL_MS = 600
const template = fileURLToPath(new URL('../templates/custom', import.meta.url))

/** Time from the upload of a packed project without dependencies to the response to its build request. */
export async function benchBuilds(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-project-'))
  cpSync(template, folder, { recursive: true })
  try {
    const first: Duration[] = []
    for (let round = 0; round < FIRST_ROUNDS; round++) first.push(await firstBuild(folder))
    const { changed, unchanged } = await laterBuilds(folder)
    return [
      durationFigure('the first build that a daemon makes', first, 300),
      durationFigure('a changed project', changed, 100),
      durationFigure('an unchanged project', unchanged, 30),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function firstBuild(folder: string): Promise<Duration> {
  const daemon = await startDaemon()
  try {
    const build = await projectOf(daemon)
    await sleep(REFILL_MS)
    return await build(folder)
  } finally {
    await daemon.stop()
  }
}

async function laterBuilds(folder: string): Promise<{ changed: Duration[]; unchanged: Duration[] }> {
  const daemon = await startDaemon()
  const changed: Duration[] = []
  const unchanged: Duration[] = []
  try {
    const build = await projectOf(daemon)
    await build(folder)
    for (let round = 0; round < ROUNDS; round++) {
      writeFileSync(join(folder, 'tools/changing.ts'), changingTool(round))
      await sleep(REFILL_MS)
      changed.push(await build(folder))
      unchanged.push(await build(folder))
    }
    return { changed, unchanged }
  } finally {
    await daemon.stop()
  }
}

/** Returns a function that measures the build of a folder, without packing. */
async function projectOf(daemon: BenchDaemon): Promise<(folder: string) => Promise<Duration>> {
  const { id } = await daemon.call<{ id: string }>('POST', '/api/projects', { name: 'dice' })
  return folder => {
    const archive = execFileSync('tar', ['-cz', '--sort=name', '--mtime=@0', '-C', folder, '.'])
    return measureDuration(async () => {
      const { sourceId: source } = await daemon.call<{ sourceId: string }>(
        'PUT',
        `/api/projects/${id}/source`,
        archive,
      )
      const request = { name: 'dice', template: 'custom', source }
      const { status } = await daemon.call<{ status: string }>('POST', '/v1/build', request)
      if (status !== 'ready') throw new Error(`the build is ${status}`)
    })
  }
}

function changingTool(round: number): string {
  return `export default { description: 'Round ${round}', handler: () => '${round}' }\n`
}
