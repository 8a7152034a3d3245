import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { processesNaming } from '../test/helpers/processes.ts'
import { filesWithDependency, startRegistry } from '../test/helpers/services/npm-registry.ts'
import { type BuildRecord, type Line, startLife } from './kill-builds/daemon-life.ts'
import { brokenImages, leftFiles } from './kill-builds/left-files.ts'
import { projectFiles } from './kill-builds/project-files.ts'
import { Shown } from './kill-builds/shown.ts'

/**
 * Queues container builds and repeatedly kills the daemon with SIGKILL while they run. Exits with 1 unless every build has
 * exactly one final state, every log line that was ever shown still exists, and no process, temporary file or partial image is
 * left. `node scripts/kill-builds.ts [builds] [kills]`, 1000 and 10 by default.
 */
export interface KillReport {
  /** Number of builds by final state. */
  statuses: Record<string, number>
  kills: number
  /** Builds that a kill interrupted. */
  interrupted: number
  linesShown: number
  seconds: number
  /** Problems found. */
  problems: string[]
}

/** Runs the test. `prepare` fills the home before its first daemon starts. */
export async function killBuilds(
  builds: number,
  kills: number,
  prepare?: (home: string) => Promise<void>,
): Promise<KillReport> {
  const home = mkdtempSync(join(tmpdir(), 'mcp-kills-'))
  const registry = await startRegistry()
  const startedMs = performance.now()
  const problems: string[] = []
  const shown = new Shown()
  try {
    await prepare?.(home)
    let life = await startLife(home)
    const dependent = filesWithDependency(registry)
    for (let index = 0; index < builds; index++) await life.trigger(projectFiles(index, dependent))
    for (let kill = 1; kill <= kills; kill++) {
      await life.watchUntil((kill * builds) / (kills + 1), shown)
      const left = await life.kill()
      if (left.length > 0) problems.push(`kill ${kill} left processes: ${left.join(', ')}`)
      life = await startLife(home)
    }
    await life.watchUntil(builds, shown)
    const records = await life.builds()
    const logs = await life.logs(records)
    problems.push(...shown.lost(logs), ...records.flatMap(record => faultsOf(record, logs.get(record.id)!)))
    if (records.length !== builds) problems.push(`${records.length} builds of ${builds} are known`)
    problems.push(...brokenImages(home, records), ...(await life.stop()), ...leftFiles(home))
    return {
      ...countsOf(records),
      kills,
      linesShown: shown.count,
      seconds: secondsSince(startedMs),
      problems,
    }
  } finally {
    registry.close()
    // Processes remain only after an exception.
    for (const pid of processesNaming(home)) process.kill(pid, 'SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

/** Problems with a build and its log. The last log line must match the state, unless the daemon was killed in between. */
function faultsOf({ id, status, endTime, currentPhase, errorMessage }: BuildRecord, log: Line[]): string[] {
  const faults: string[] = []
  if (!['succeeded', 'failed'].includes(status)) faults.push(`it is ${status}`)
  if (endTime === '' || currentPhase !== 'COMPLETED') faults.push(`it has no end time`)
  if (status === 'failed' && !errorMessage.startsWith('INTERRUPTED')) faults.push(errorMessage)
  const last = log.filter(({ phase }) => phase === 'COMPLETED')
  if (last.length > 1 || (last[0] && last[0] !== log.at(-1)))
    faults.push('its log continues after the build completed')
  if (last[0] && !last[0].message.startsWith(status)) faults.push(`its log says ${last[0].message}`)
  if (log.some(({ stream }) => stream === 'stderr')) faults.push('its log has broken lines')
  return faults.map(fault => `${id}: ${fault}`)
}

function countsOf(records: BuildRecord[]): Pick<KillReport, 'statuses' | 'interrupted'> {
  const byStatus = Object.entries(Object.groupBy(records, ({ status }) => status))
  return {
    statuses: Object.fromEntries(byStatus.map(([status, of]) => [status, of!.length])),
    interrupted: records.filter(({ errorMessage }) => errorMessage.startsWith('INTERRUPTED')).length,
  }
}

function secondsSince(startedMs: number): number {
  return Math.round((performance.now() - startedMs) / 100) / 10
}

if (import.meta.url === pathToFileURL(process.argv[1]!).href) {
  const [builds = '1000', kills = '10'] = process.argv.slice(2)
  const report = await killBuilds(Number(builds), Number(kills))
  console.log(JSON.stringify(report, null, 2))
  process.exitCode = report.problems.length === 0 ? 0 : 1
}
