import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startDaemon } from '../daemon.ts'
import { readStat, stillRunning, TICKS_PER_SECOND } from '../processes.ts'
import { useTarget } from './clients.ts'
import { Faults } from './faults.ts'
import { Ledger } from './ledger.ts'
import { faultsOf, formatReport, type Mark } from './report.ts'
import { Rests } from './rests.ts'
import { Samples } from './samples.ts'
import { deployTargets } from './servers.ts'
import { judgeAll } from './verdict.ts'
import { Witness } from './witness.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    pause: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
  },
})
const totalSeconds = Number(values.minutes) * 60
const pauseMs = Number(values.pause)
if (!(totalSeconds > 0) || !(pauseMs > 0)) {
  console.error(
    'Usage: npm run soak -- [--minutes 60] [--pause 1000 (ms between requests of a client)] [--write]',
  )
  process.exit(2)
}
/** Times of the daemon's restarts, as shares of the run's duration. The measurement starts after them. */
const RESTARTS = [
  [0.08, 'command'],
  [0.16, 'SIGKILL'],
  [0.24, 'SIGKILL'],
] as const
const JUDGED_FROM = 0.4
/**
 * V8 keeps growing its generations for the first few thousand requests. The steady servers get many requests, so that this growth
 * ends before the measurement starts and a small leak per request becomes visible.
 */
const STEADY_FACTOR = 20
const sampleSeconds = Math.min(10, totalSeconds / 60)
const partSeconds = Math.min(300, totalSeconds / 4)

const daemon = await startDaemon()
const ledger = new Ledger()
const stop = new AbortController()
const judgedFrom = totalSeconds * JUDGED_FROM
const rests = new Rests(judgedFrom, totalSeconds)
const targets = await deployTargets(daemon)
const samples = new Samples(daemon, targets)
const witness = new Witness({
  daemon,
  target: targets.find(({ name }) => name === 'witness')!,
  ledger,
  rests,
})
const faults = new Faults({ daemon, targets, ledger, samples, witness, rests, stopping: stop.signal })
/** Start of the load. `elapsed` returns the seconds under load, without rests. */
const start = performance.now()
const elapsed = () => (performance.now() - start) / 1000 - rests.seconds

const clients = Promise.all([
  ...targets.map(target =>
    useTarget({
      target,
      ledger,
      stopping: stop.signal,
      pauseMs: target.isSteady ? pauseMs / STEADY_FACTOR : pauseMs,
      rests,
    }),
  ),
  witness.run(stop.signal, Math.max(50, pauseMs / 3)),
  faults.run(),
  restartDaemon(),
])
const { marks, cpuSeconds } = await watch()
stop.abort()
await clients
samples.remember()
await daemon.stop()
const report = {
  minutes: Number(values.minutes),
  load: { targets: targets.length, pauseMs, coreShare: cpuSeconds / totalSeconds },
  judgedFrom,
  samples: samples.all,
  marks,
  ...judgeAll(samples.seriesFrom(judgedFrom), sampleSeconds * 6),
  hasRested: rests.seconds > 0,
  ledger,
  witness: witness.report(),
  orphans: stillRunning(samples.seen.values()).length,
}
const text = formatReport(report)
console.log(text)
if (values.write) writeFileSync(fileURLToPath(new URL('../../docs/reports/soak.md', import.meta.url)), text)
const failures = faultsOf(report)
console.log(failures.length === 0 ? 'Passed: no growth, no losses.' : `Failed: ${failures.join(', ')}.`)
process.exitCode = failures.length === 0 ? 0 : 1

async function restartDaemon(): Promise<void> {
  for (const [share, how] of RESTARTS) {
    await sleep(Math.max(0, share * totalSeconds - elapsed()) * 1000)
    await faults.restartDaemon(how)
  }
  faults.killShared = false
}

/** Samples until the end of the run. Returns the counts at the end of each part, and the processor time of all processes. */
async function watch(): Promise<{ marks: Mark[]; cpuSeconds: number }> {
  const marks: Mark[] = []
  const ticks = new Map<string, number>()
  while (elapsed() < totalSeconds) {
    await sleep(sampleSeconds * 1000)
    await samples.take(elapsed())
    for (const { pid } of [{ pid: daemon.pid }, ...samples.remember()])
      for (const { startedAt, cpuTicks } of readStat(pid)) ticks.set(`${pid} ${startedAt}`, cpuTicks)
    if (elapsed() >= (marks.length + 1) * partSeconds) marks.push(mark())
    const at = elapsed()
    await rests.restWhenDue(at, () => samples.takeAtRest(at))
  }
  return { marks, cpuSeconds: [...ticks.values()].reduce((sum, count) => sum + count, 0) / TICKS_PER_SECOND }
}

function mark(): Mark {
  const { answered, excused, unexpectedCount } = ledger
  const done = {
    at: elapsed(),
    answered,
    excused: [...excused.values()].reduce((sum, count) => sum + count, 0),
    unexpected: unexpectedCount,
  }
  console.error(
    `${Math.round(done.at)} s: ${answered} answered, ${done.excused} excused, ${unexpectedCount} unexpected`,
  )
  return done
}
