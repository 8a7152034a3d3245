import { setTimeout as sleep } from 'node:timers/promises'
import { callEcho, deployEcho, startDaemon } from './daemon.ts'
import { median } from './measure.ts'
import { usageOf } from './processes.ts'
import type { Figure } from './report.ts'

const DEDICATED = 50
const SHARED = 500
/** An instance releases memory after 30 s without work. The benchmark measures idle processes. */
const SETTLE_MS = 35_000

/** Memory of idle processes, from /proc: resident for the daemon, proportional for instances. Linux only. */
export async function benchMemory(): Promise<Figure[]> {
  const daemon = await startDaemon()
  try {
    await sleep(SETTLE_MS)
    const idle = usageOf(daemon.pid)!.residentMb
    for (let i = 0; i < DEDICATED; i++)
      await callEcho((await deployEcho(daemon, `own-${i}`, 'production')).url)
    await sleep(SETTLE_MS)
    const dedicated = await pidsOf(daemon, 'production')
    const one = median(dedicated.map(pssMb))

    await callEcho((await deployEcho(daemon, 'shared-first', 'staging')).url)
    const [host] = await pidsOf(daemon, 'staging')
    await sleep(SETTLE_MS)
    const before = pssMb(host!)
    for (let i = 0; i < SHARED; i++) await deployEcho(daemon, `shared-${i}`, 'staging')
    await sleep(SETTLE_MS)
    const eachKb = ((pssMb(host!) - before) * 1024) / SHARED
    return [
      figure('daemon, idle, resident', `${idle.toFixed(0)} MB`, idle, 80, 'MB'),
      figure(`dedicated instance, idle, among ${DEDICATED} (PSS)`, `${one.toFixed(1)} MB`, one, 14, 'MB'),
      figure(
        `declared server in a shared host, of ${SHARED} (PSS)`,
        `${eachKb.toFixed(1)} KB`,
        eachKb,
        10,
        'KB',
      ),
    ]
  } finally {
    await daemon.stop()
  }
}

async function pidsOf(
  daemon: Awaited<ReturnType<typeof startDaemon>>,
  environment: string,
): Promise<number[]> {
  const { items } = await daemon.call<{ items: { instances: { pid: number | null }[] }[] }>(
    'GET',
    `/v1/deploy?environment=${environment}&status=deployed&limit=100`,
  )
  const pids = items.flatMap(item => item.instances.map(instance => instance.pid))
  return [...new Set(pids.filter(pid => pid !== null))]
}

const pssMb = (pid: number) => usageOf(pid)!.proportionalMb

function figure(name: string, value: string, measured: number, limit: number, unit: string): Figure {
  return { name, value, measured, limit: { at: 'most', value: limit, unit } }
}
