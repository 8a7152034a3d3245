import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callEcho, deployEcho, echoServer, mcp, startDaemon } from './daemon.ts'
import { interleave, median, runNode, timeMs } from './measure.ts'
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
    return timeMs(async () => {
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
        return timeMs(() =>
          runNode([mcp, 'deploy', folder, '--env', 'production', '--min', '1', '--json'], warm.env),
        )
      },
    })
    const figure = (name: string, values: number[], limit: number): Figure => ({
      name,
      value: `${median(values).toFixed(1)} ms`,
      measured: median(values),
      limit: { at: 'most', value: limit, unit: 'ms' },
    })
    return [
      figure('deploy (production, spare ready) to first answered call', times.warm!, 20),
      figure('deploy (development, shared host) to first answered call', times.shared!, 20),
      figure('deploy (production, no spare) to first answered call', times.cold!, 150),
      figure('`mcp deploy` as a whole command', times.command!, 200),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await warm.stop()
    await cold.stop()
  }
}
