import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postModern } from '../../helpers/clients/mcp-requests.ts'
import { KilledDaemon } from '../../helpers/daemon/killed-daemon.ts'
import { createHome, eventually, type TestHome } from '../../helpers/daemon/mcp.ts'
import { isRunning } from '../../helpers/processes.ts'

// `node scripts/kill-daemon.ts` repeats these rounds a hundred times. Finding processes needs /proc.
describe.runIf(process.platform === 'linux')('a daemon killed at any time', () => {
  let home: TestHome
  let marker: string
  beforeAll(() => {
    home = createHome()
    marker = mkdtempSync(join(tmpdir(), 'mcp-killed-'))
  })
  afterAll(async () => {
    await home.remove()
    rmSync(marker, { recursive: true, force: true })
  })

  test('a killed daemon restores everything acknowledged, without orphans, lost ports or lost log lines', async () => {
    const killed = new KilledDaemon(home, marker)
    for (const workMs of [30, 150, 400, 800]) await killed.round(workMs)
    expect(killed.tally.kills).toBe(4)
    expect(killed.tally.acknowledged).toBeGreaterThan(0)
  }, 120_000)

  test('a killed daemon keeps every acknowledged write to a store', async () => {
    const url = await deployStore()
    const { pid } = home.discovery()!
    const acknowledged: number[] = []
    const write = async (first: number) => {
      for (let id = first; ; id += 10) {
        await call(url, 'set', `killed/${id}`, id)
        acknowledged.push(id)
        if (acknowledged.length === 50) process.kill(pid, 'SIGKILL')
      }
    }
    await Promise.allSettled(Array.from({ length: 10 }, (_, first) => write(first)))
    await eventually(() => !isRunning(pid))
    await home.json(['daemon', 'start'])
    const entries: { value: number }[] = await call(url, 'list', 'killed/')
    const stored = new Set(entries.map(({ value }) => value))
    expect(acknowledged.length).toBeGreaterThanOrEqual(50)
    expect(acknowledged.filter(id => !stored.has(id))).toEqual([])
  })

  async function deployStore(): Promise<string> {
    const folder = join(marker, 'notes')
    mkdirSync(join(folder, 'tools'), { recursive: true })
    const handler = 'async ({ op, args }, { store }) => ({ result: await store[op](...args) })'
    writeFileSync(
      join(folder, 'tools/run.ts'),
      `export default { description: 'Uses the store', handler: ${handler} }`,
    )
    return (await home.json<{ url: string }>(['deploy', folder])).url
  }
})

/** Rejects when the call has no result. */
async function call(url: string, op: string, ...args: unknown[]) {
  const { json } = await postModern(url, 'tools/call', { name: 'run', arguments: { op, args } })
  return JSON.parse(json.result.content[0].text).result
}
