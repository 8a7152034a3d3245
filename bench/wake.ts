import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchDaemon, callEcho, type Deployed, echoServer, startDaemon } from './daemon.ts'
import { durationFigure, measureDuration } from './durations.ts'
import type { Figure } from './report.ts'

const ROUNDS = 11
/** Long enough for the pool to start its next spare, which must not be measured. */
const REFILL_MS = 600

/** Time from connecting to the public URL of a sleeping server until the first tool call is answered. */
export async function benchWake(): Promise<Figure[]> {
  const daemon = await startDaemon({ MCP_WARM_SPARES: '2' })
  try {
    const own = await deploySleepers(daemon, 'production')
    const shared = await deploySleepers(daemon, 'development')
    // The daemon does not start servers that may sleep. Their first connection does.
    await daemon.restart('command')
    await callEcho(await deployFirst(daemon)) // the very first request includes compilation
    const figures = []
    for (const [environment, urls] of Object.entries({ production: own, development: shared }))
      figures.push(await wake(daemon, environment, urls))
    return figures
  } finally {
    await daemon.stop()
  }
}

async function deploySleepers(daemon: BenchDaemon, environment: string): Promise<string[]> {
  const urls = []
  for (let count = 0; count < ROUNDS; count++) {
    const server = echoServer(`${environment}-${count}`)
    const { mcp_id } = await daemon.call<Deployed>('POST', '/v1/build', server)
    const config = { scaling: { min_instances: 0, max_instances: 1 } }
    urls.push((await daemon.call<Deployed>('POST', '/v1/deploy', { mcp_id, environment, config })).url)
  }
  return urls
}

async function deployFirst(daemon: BenchDaemon): Promise<string> {
  const { mcp_id } = await daemon.call<Deployed>('POST', '/v1/build', echoServer('first'))
  const request = { mcp_id, environment: 'production' }
  return (await daemon.call<Deployed>('POST', '/v1/deploy', request)).url
}

async function wake(daemon: BenchDaemon, environment: string, urls: string[]): Promise<Figure> {
  const times = []
  for (const [index, url] of urls.entries()) {
    await expectAsleep(daemon, `${environment}-${index}`)
    await sleep(REFILL_MS)
    times.push(await measureDuration(() => callEcho(url)))
  }
  const host = environment === 'production' ? 'dedicated instance' : 'shared host'
  const name = `wake (${environment}, ${host}, spare ready) to first answered call, through the public URL`
  return durationFigure(name, times, 20)
}

async function expectAsleep(daemon: BenchDaemon, name: string): Promise<void> {
  const { items } = await daemon.call<{ items: { instances: object[] }[] }>(
    'GET',
    `/v1/deploy?name=${name}&status=deployed`,
  )
  if (items.length !== 1 || items[0]!.instances.length > 0)
    throw new Error(`${name} is not asleep: ${JSON.stringify(items)}`)
}
