import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { StateDatabase } from '../../../src/daemon/store/state/state-database.ts'
import { KeyValueStore } from '../../../src/sdk/store/key-value-store.ts'
import { MemoryBackend } from '../../../src/sdk/store/memory-backend.ts'
import type { StateBackend } from '../../../src/shared/instances/state-operations.ts'

const folder = mkdtempSync(join(tmpdir(), 'mcp-state-'))
const databases: StateDatabase[] = []
let files = 0
let nowMs = 1_000_000
afterAll(() => {
  for (const database of databases) database.close()
  rmSync(folder, { recursive: true })
})

function openDatabase({ maxBytes, file = `${++files}.db` }: { maxBytes?: number; file?: string } = {}) {
  const database = new StateDatabase(join(folder, file), maxBytes)
  databases.push(database)
  return database
}

function backendOf(database: StateDatabase): StateBackend {
  return { run: async operation => database.run([{ operations: [operation], nowMs }])[0]![0]! }
}

const storeIn = (database: StateDatabase, scope = '') => new KeyValueStore(backendOf(database), scope)

/** Pseudo-random numbers below `limit` (mulberry32), so that a failure can be repeated. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed
  return limit => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const KEYS = [
  'a',
  'a/',
  'a/b',
  'a/b/c',
  'a0',
  'é',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '😀',
  '\u{10ffff}',
  '\u{10ffff}z',
]
const HOSTILE_KEYS = ['%', '_', "'", '\n', ' ', '__proto__', 'constructor', 'x'.repeat(2048)]
const ALL_KEYS = [...KEYS, ...HOSTILE_KEYS]
const PREFIXES = ['', 'a', 'a/', 'é', '\ud7ff', '\uffff', '\u{10ffff}', '_', '%', '__']

/** Runs one random operation. Returns its result or the code of its error. */
async function act(store: KeyValueStore, random: (limit: number) => number): Promise<unknown> {
  const pick = <Value>(values: readonly Value[]) => values[random(values.length)]!
  const key = pick(ALL_KEYS)
  const options = random(3) === 0 ? { ttlSeconds: 1 + random(5) } : {}
  const value = pick([null, 0, 1.5, 'text', { a: [1, { b: '\u0000"\\' }] }, 'x'.repeat(random(60))])
  const list = {
    limit: 1 + random(6),
    reverse: random(2) === 0,
    ...(random(2) === 0 && { after: pick(ALL_KEYS) }),
  }
  const actions = [
    () => store.get(key),
    () => store.set(key, value, options),
    () => store.delete(key),
    () => store.increment(key, random(7) - 3, options),
    () => store.list(pick(PREFIXES), list),
    () =>
      store.transaction(async transaction => {
        const before = await transaction.get(key)
        const others = await transaction.list(pick(PREFIXES), list)
        transaction.set(pick(ALL_KEYS), [before ?? null, others.length], options)
        transaction.delete(pick(ALL_KEYS))
        return [
          before,
          others,
          await transaction.list(pick(PREFIXES), list),
          await transaction.get(pick(ALL_KEYS)),
        ]
      }),
  ]
  try {
    return await pick(actions)()
  } catch (error) {
    return (error as { code?: string }).code ?? error
  }
}

test.each([1, 2, 3])('the database returns the same results as the in-memory store (seed %i)', async seed => {
  const maxBytes = seed % 2 === 0 ? 5000 : undefined
  const options = { now: () => nowMs, ...(maxBytes !== undefined && { maxBytes }) }
  const database = openDatabase(options)
  const scopes = ['', 'user:ann']
  const memory = new MemoryBackend(options)
  const [there, here] = [createRandom(seed), createRandom(seed)]
  for (let step = 0; step < 300; step++) {
    nowMs += step % 7 === 0 ? 700 : 0
    const scope = scopes[step % 2]!
    const expected = await act(new KeyValueStore(memory, scope), here)
    expect(await act(storeIn(database, scope), there), `step ${step}`).toEqual(expected)
  }
  const rows = database.rows({ limit: 1000 }, nowMs)
  expect(new Set(rows.map(row => JSON.stringify([row.scope, row.key, row.value])))).toEqual(
    new Set([...memory.all()].map(one => JSON.stringify([one.scope, one.key, one.value]))),
  )
  const bytes = rows.reduce(
    (sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  )
  expect(database.usage(nowMs)).toEqual({ entries: rows.length, bytes })
})

test('two connections to one file lose no increment and no transaction', async () => {
  const stores = [1, 2].map(() => storeIn(openDatabase({ file: 'shared.db' })))
  await Promise.all(
    stores.flatMap(store =>
      Array.from({ length: 25 }, async () => {
        await store.increment('incremented')
        await store.transaction(async transaction =>
          transaction.set('read', ((await transaction.get<number>('read')) ?? 0) + 1),
        )
      }),
    ),
  )
  expect(await stores[0]!.get('incremented')).toBe(50)
  expect(await stores[1]!.get('read')).toBe(50)
})

test('a transaction runs again when an entry appears in a range that it has read', async () => {
  const store = storeIn(openDatabase())
  await store.set('seat/1', 'ann')
  let runs = 0
  const counted = await store.transaction(async transaction => {
    const { length } = await transaction.list('seat/')
    if (++runs === 1) await store.set('seat/2', 'bob')
    transaction.set('count', length)
    return length
  })
  expect([runs, counted, await store.get('count')]).toEqual([2, 2, 2])
})

test('a transaction that fails or throws changes nothing', async () => {
  const store = storeIn(openDatabase({ maxBytes: 100 }))
  await store.set('a', 1)
  const tooMuch = store.transaction(transaction => {
    transaction.set('a', 2)
    transaction.set('b', 'x'.repeat(200))
  })
  await expect(tooMuch).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_FULL' })
  const thrown = store.transaction(transaction => {
    transaction.set('a', 3)
    throw new Error('changed its mind')
  })
  await expect(thrown).rejects.toThrow('changed its mind')
  expect(await store.list()).toEqual([{ key: 'a', value: 1 }])
})

test('large lists are read in pages of limited size', async () => {
  const database = openDatabase()
  const store = storeIn(database)
  const value = 'v'.repeat(100 * 1024)
  for (let at = 0; at < 6; at++) await store.set(`k${at}`, value)
  const list = { op: 'list', scope: '', prefix: '', limit: 1000 } as const
  const [[page]] = database.run([{ operations: [list], nowMs }]) as [
    [{ entries: unknown[]; isWhole: boolean }],
  ]
  expect([page.entries.length, page.isWhole]).toEqual([3, false])
  expect((await store.list()).map(({ key }) => key)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5'])
  const gets = Array.from({ length: 20 }, () => ({ op: 'get', scope: '', key: 'k0' }) as const)
  expect(database.run([{ operations: gets, nowMs }])[0]!.length).toBeLessThan(gets.length)
})

test('a batch of large results ends after one mebibyte, also when its characters take several bytes', async () => {
  const database = openDatabase()
  await storeIn(database).set('k', '語'.repeat(40 * 1024))
  const gets = Array.from({ length: 20 }, () => ({ op: 'get', scope: '', key: 'k' }) as const)
  expect(database.run([{ operations: gets, nowMs }])[0]).toHaveLength(9)
})

test('an expired entry no longer counts and frees its space', async () => {
  const database = openDatabase({ maxBytes: 100 })
  const store = storeIn(database)
  await store.set('a', 'x'.repeat(90), { ttlSeconds: 1 })
  await expect(store.set('b', 'x'.repeat(50))).rejects.toMatchObject({ code: 'STORE_FULL' })
  nowMs += 1000
  await store.set('b', 'x'.repeat(50))
  expect(await store.list()).toHaveLength(1)
  expect(database.usage(nowMs)).toEqual({ entries: 1, bytes: 53 })
})
