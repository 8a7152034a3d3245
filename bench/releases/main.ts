import { startDaemon } from '../daemon.ts'
import { percentile } from '../measure.ts'
import { killUnderLoad, type LoadProfile, releaseUnderLoad, type Subject } from './run.ts'

/**
 * `npm run bench:releases`: 50 releases and 10 rollbacks in a row, and a SIGKILL of a random instance every second, while clients
 * of both eras call over kept-alive connections. Arguments choose parts: `releases` or `kills`, `declared` or `module`, `1` or
 * `2` instances. Exits with 1 when a request or session was lost, or the wrong release answered. Set MCP_HOME to keep the
 * daemon's log. test/e2e/serving/releases-under-load.test.ts is a short form.
 */
const LOAD: LoadProfile = { modern: 8, longSessions: 4, shortSessions: 4, callsPerShortSession: 300 }
const PLAN = { releases: 50, rollbacks: 10, requests: 110_000 }
const KILLS = { kills: 30, pauseMs: 1000 }

const chosen = new Set(process.argv.slice(2))
const parts = choose(['releases', 'kills'])
const kinds = choose(['declared', 'module'])
const sizes = choose(['1', '2']).map(Number)
if (chosen.size > 0) throw new Error(`Unknown part: ${[...chosen].join(', ')}.`)
const home = process.env.MCP_HOME
const daemon = await startDaemon(home ? { MCP_HOME: home } : {})
let hasPassed = true
try {
  for (const kind of kinds)
    for (const instances of sizes) {
      const subject = { call: daemon.call, kind, instances }
      if (parts.includes('releases')) await runReleases({ ...subject, name: `releases-${kind}-${instances}` })
      if (parts.includes('kills')) await runKills({ ...subject, name: `kills-${kind}-${instances}` })
    }
} finally {
  await daemon.stop()
}
process.exitCode = hasPassed ? 0 : 1

/** Removes the given names from `chosen` and returns them, or all when none was given. */
function choose<Part extends string>(all: readonly Part[]): readonly Part[] {
  const named = all.filter(part => chosen.delete(part))
  return named.length > 0 ? named : all
}

async function runReleases(subject: Subject): Promise<void> {
  const report = await releaseUnderLoad(subject, PLAN, LOAD)
  const { faults, lost, moved, stale, releaseMs, rollbackMs, ...others } = report
  hasPassed &&= faults.length + lost + moved + stale.length === 0
  console.log({
    server: subject.name,
    ...others,
    failed: faults.length,
    lost,
    moved,
    stale: stale.length,
    release: spread(releaseMs),
    rollback: spread(rollbackMs),
  })
  if (faults.length > 0) console.log(faults.slice(0, 5))
  if (stale.length > 0) console.log(stale.slice(0, 5))
}

async function runKills(subject: Subject): Promise<void> {
  const { unexcused, faults, lost, ...others } = await killUnderLoad(subject, KILLS, LOAD)
  hasPassed &&= unexcused.length + lost === 0
  console.log({ server: subject.name, ...others, failed: faults.length, unexcused: unexcused.length, lost })
  if (unexcused.length > 0) console.log(unexcused.slice(0, 5))
}

function spread(ms: number[]): string {
  return `median ${percentile(ms, 0.5).toFixed(0)} ms, slowest ${Math.max(...ms).toFixed(0)} ms`
}
