import { readdirSync, statSync } from 'node:fs'
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LOG_LIMITS, LogStore } from '../../src/daemon/runtime/logs.ts'
import { rotateLogs } from '../../src/daemon/services/log-rotation.ts'
import type { Rooms } from '../../src/daemon/services/rooms.ts'

let folder: string
let held: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-rotation-'))
  held = []
})

afterEach(() => rm(folder, { recursive: true }))

/** What rotation asks of store and supervisor: two deployments, of which one is asleep. */
function rooms(): Pick<Rooms, 'store' | 'supervisor' | 'logs'> {
  const store = {
    servers: { list: () => [{ name: 'a', previewMcpId: null }] },
    deployments: { idsWithStatus: () => ['dep_awake', 'dep_asleep'] },
  }
  const supervisor = {
    has: () => true,
    report: (id: string) => ({ instances: id === 'dep_awake' ? [{ id: 'inst_1' }] : [] }),
    holdLog: async (id: string, instance: string) => {
      held.push(`${id}/${instance}`)
      return () => held.push('let go')
    },
  }
  return { store, supervisor, logs: new LogStore(folder) } as unknown as Rooms
}

async function write(id: string, bytes: number): Promise<void> {
  await mkdir(join(folder, id))
  await appendFile(join(folder, id, 'inst_1.log'), `${'x'.repeat(bytes)}\n`)
}

test('a file that has grown too large is rotated while its instance holds still', async () => {
  await write('dep_awake', LOG_LIMITS.segmentBytes)
  await rotateLogs(rooms())
  expect(held).toEqual(['dep_awake/inst_1', 'let go'])
  expect(statSync(join(folder, 'dep_awake', 'inst_1.log')).size).toBe(0)
  expect(readdirSync(join(folder, 'dep_awake'))).toHaveLength(2)
})

test('a small file, and that of what is asleep, is let be', async () => {
  await write('dep_awake', 100)
  await write('dep_asleep', LOG_LIMITS.segmentBytes)
  await rotateLogs(rooms())
  expect(held).toEqual([])
})
