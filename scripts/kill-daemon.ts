import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KilledDaemon } from '../test/helpers/daemon/killed-daemon.ts'
import { createHome } from '../test/helpers/daemon/mcp.ts'

/**
 * Kills the daemon (SIGKILL) 100 times by default, at random times while it builds, deploys, stops, removes and serves. Checks
 * after each start that everything acknowledged still exists. Usage: `node scripts/kill-daemon.ts [kills]`. Linux only.
 */
const kills = Number(process.argv[2] ?? 100)
const home = createHome()
const marker = mkdtempSync(join(tmpdir(), 'mcp-killed-'))
const killed = new KilledDaemon(home, marker)
try {
  for (let round = 1; round <= kills; round++) {
    const workMs = 20 + Math.random() * 3000
    await killed.round(workMs)
    if (round % 10 === 0) console.log(JSON.stringify(killed.tally))
  }
  console.log(
    `${kills} kills: everything acknowledged is intact, with no orphaned process, no lost port and no lost log line.`,
  )
} finally {
  await home.remove()
  rmSync(marker, { recursive: true, force: true })
}
