import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KilledDaemon } from '../helpers/killed-daemon.ts'
import { createHome } from '../helpers/mcp.ts'

// `node scripts/kill-daemon.ts` does the same a hundred times. Needs /proc to find processes.
test.runIf(process.platform === 'linux')(
  'a daemon killed at any time restores everything acknowledged, without orphans, lost ports or lost log lines',
  async () => {
    const home = createHome()
    const marker = mkdtempSync(join(tmpdir(), 'mcp-killed-'))
    const killed = new KilledDaemon(home, marker)
    try {
      for (const workMs of [30, 150, 400, 800]) await killed.round(workMs)
      expect(killed.tally.kills).toBe(4)
      expect(killed.tally.acknowledged).toBeGreaterThan(0)
    } finally {
      await home.remove()
      rmSync(marker, { recursive: true, force: true })
    }
  },
  120_000,
)
