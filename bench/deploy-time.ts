import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callEcho, deployEcho, echoServer, mcp, startDaemon } from './daemon.ts'
import { durationFigure, measureDuration } from './durations.ts'
import { interleave, runNode } from './measure.ts'
import type { Figure } from './report.ts'

const ROUNDS = 11
/** Long enough for the pool to start its next spare, which must not be measured. */
const REFILL_MS = 600

/** Time from the deploy request to the first answered tool call, with and without a spare process. */
export async function benchDeployTime(): Promise<Figure[]> {
  const warm = await startDaemon({ MCP_WARM_SPARES: '2' })
  const cold = await startDaemon({ MCP_WARM_SPARES: '0' })
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bench-project-'))
  writeFileSync(join(folder, 'mcp.config.json'), JSON.stringify(echoServer('whole')))
  let count = 0
  const deployAndCall = async (daemon: typeof warm, environment: string) => {
    const { mcp_id } = await daemon.call('POST', '/v1/build', echoServer(`echo-${++count}`))
    await sleep(REFILL_MS)
    return measureDuration(async () => {
      const scaling = { min_instances: 1, max_instances: 1 }
      const { url } = await daemon.call('POST', '/v1/deploy', { mcp_id, environment, config: { scaling } })
      await callEcho(url)
    })
  }
  try {
    await deployEcho(warm, 'first', 'production') // the very first request includes compilation
    await deployEcho(cold, 'first', 'production')
    const times = await interleave(ROUNDS, {
      warm: () => deployAndCall(warm, 'production'),
      shared: () => deployAndCall(warm, 'development'),
      cold: () => deployAndCall(cold, 'production'),
      command: async () => {
        await sleep(REFILL_MS)
        return measureDuration(() =>
          runNode([mcp, 'deploy', folder, '--env', 'production', '--min', '1', '--json'], warm.env),
        )
      },
    })
    return [
      durationFigure('deploy (production, spare ready) to first answered call', times.warm!, 20),
      durationFigure('deploy (development, shared host) to first answered call', times.shared!, 20),
      durationFigure('deploy (production, no spare) to first answered call', times.cold!, 150),
      durationFigure('`mcp deploy` as a whole command', times.command!, 200),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await warm.stop()
    await cold.stop()
  }
}
