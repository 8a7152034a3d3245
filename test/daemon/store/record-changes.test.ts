import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RecordChange } from '../../../src/daemon/store/record-changes.ts'
import { openStore, type Store } from '../../../src/daemon/store/store.ts'

const NOW = '2026-01-01T00:00:00.000Z'

let store: Store
let seen: RecordChange[]
let unwatch: () => void

beforeEach(() => {
  store = openStore(':memory:')
  seen = []
  unwatch = store.database.changes.watch(changes => seen.push(...changes))
})

afterEach(() => store.close())

/** Waits for the microtask in which changes are delivered, and returns the changes. */
async function takeDelivered(): Promise<RecordChange[]> {
  await Promise.resolve()
  return seen.splice(0)
}

function save(server: string, sealed: string): void {
  store.variables.save({
    server,
    environment: 'staging',
    name: 'TOKEN',
    sealed: Buffer.from(sealed),
    secret: true,
    createdAt: NOW,
    updatedAt: NOW,
  })
}

test('reports each created, changed and removed record', async () => {
  const variable = { type: 'variable', id: 'TOKEN', server: 'weather', environment: 'staging' }
  save('weather', 'a')
  expect(await takeDelivered()).toEqual([{ ...variable, action: 'created' }])
  save('weather', 'b')
  expect(await takeDelivered()).toEqual([{ ...variable, action: 'updated' }])
  store.variables.removeByServer('weather')
  expect(await takeDelivered()).toEqual([{ ...variable, action: 'removed' }])
})

test('a reported change omits fields without a value', async () => {
  store.servers.ensure('weather', NOW)
  expect(await takeDelivered()).toEqual([
    { type: 'server', action: 'created', id: 'weather', server: 'weather' },
  ])
})

test('reports the changes in a transaction after its commit, and none if it is rolled back', async () => {
  store.transaction(() => {
    store.servers.ensure('one', NOW)
    save('one', 'a')
    expect(seen).toEqual([])
  })
  expect((await takeDelivered()).map(({ type, id }) => [type, id])).toEqual([
    ['server', 'one'],
    ['variable', 'TOKEN'],
  ])
  store.servers.ensure('before', NOW)
  expect(() =>
    store.transaction(() => {
      store.servers.ensure('two', NOW)
      throw new Error('rolled back')
    }),
  ).toThrow()
  expect((await takeDelivered()).map(({ id }) => id)).toEqual(['before'])
})

test('reports no changes from a failed statement', async () => {
  store.servers.ensure('one', NOW)
  const insert = store.database.prepare(
    "INSERT INTO servers (name, created_at) VALUES ('two', ?), ('one', ?)",
  )
  expect(() => insert.run([NOW, NOW])).toThrow()
  expect((await takeDelivered()).map(({ id }) => id)).toEqual(['one'])
})

test('leaves no trigger behind when there are no watchers', async () => {
  const count = () =>
    store.database.values("SELECT count(*) FROM temp.sqlite_schema WHERE type = 'trigger'")[0]
  expect(count()).toBeGreaterThan(20)
  unwatch()
  expect(count()).toBe(0)
  store.servers.ensure('weather', NOW)
  expect(await takeDelivered()).toEqual([])
})

test('stops reporting on a database that another daemon has taken over, and starts again when it is taken back', async () => {
  store.database.setReadOnly(true)
  unwatch()
  store.database.setReadOnly(false)
  save('weather', 'a')
  expect(await takeDelivered()).toEqual([])
  store.database.changes.watch(changes => seen.push(...changes))
  save('weather', 'b')
  expect(await takeDelivered()).toMatchObject([{ type: 'variable', action: 'updated' }])
})
