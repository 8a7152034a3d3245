import { describe, expect, test } from 'vitest'
import { createStore } from '../../src/sdk/server.ts'

describe('createStore', () => {
  test('a store keeps values by key, and separate values for the user', async () => {
    const store = createStore()
    await store.set('note', { text: 'shared' })
    await store.user.set('note', 'own')
    expect([await store.get('note'), await store.user.get('note')]).toEqual([{ text: 'shared' }, 'own'])
    expect([await store.delete('note'), await store.delete('note')]).toEqual([true, false])
    expect(await store.user.list()).toEqual([{ key: 'note', value: 'own' }])
  })

  test('a store expires entries by the given clock, and an increment keeps the expiry', async () => {
    let now = 0
    const store = createStore({ now: () => now })
    expect(await store.increment('calls', 1, { ttlSeconds: 60 })).toBe(1)
    now = 59_999
    expect(await store.increment('calls', 2, { ttlSeconds: 60 })).toBe(3)
    now = 60_000
    expect(await store.get('calls')).toBeUndefined()
  })

  test.each([
    ['an empty key', (store: ReturnType<typeof createStore>) => store.get('')],
    ['a key that is not a string', store => store.get(5 as never)],
    ['half of a surrogate pair', store => store.set('\ud800', 1)],
    ['a NUL character', store => store.list('a\0')],
    ['a long key', store => store.delete('é'.repeat(1025))],
  ] as [string, (store: ReturnType<typeof createStore>) => Promise<unknown>][])(
    'a store rejects %s',
    async (_, act) => {
      await expect(act(createStore())).rejects.toMatchObject({ name: 'StoreError', code: 'INVALID_KEY' })
    },
  )

  test.each([
    ['undefined', undefined],
    ['a function', { a: () => 1 }],
    ['a Map', { a: [new Map()] }],
    ['bytes', new Uint8Array(2)],
    ['NaN', [Number.NaN]],
    ['a bigint', 1n],
    ['a hole in an array', [1, undefined]],
  ])('a store rejects %s as a value', async (_, value) => {
    await expect(createStore().set('a', value)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })

  test('a store keeps dates as text and omits undefined members', async () => {
    const store = createStore()
    await store.set('a', { at: new Date(0), none: undefined })
    expect(await store.get('a')).toEqual({ at: '1970-01-01T00:00:00.000Z' })
  })

  test('a store rejects a circular value, a large value, an invalid expiry and an invalid increment', async () => {
    const store = createStore()
    const circular: Record<string, unknown> = {}
    circular.self = circular
    await expect(store.set('a', circular)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    await expect(store.set('a', 'x'.repeat(128 * 1024))).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(store.set('a', 1, { ttlSeconds: 0 })).rejects.toMatchObject({ code: 'INVALID_VALUE' })
    await expect(store.increment('a', Number.NaN)).rejects.toMatchObject({ code: 'INVALID_VALUE' })
  })

  test('a store limits the keys and bytes of a transaction', async () => {
    const store = createStore()
    const writes = (count: number, value: unknown) =>
      store.transaction(transaction => {
        for (let at = 0; at < count; at++) transaction.set(`k${at}`, value)
      })
    await expect(writes(1001, 1)).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(writes(2, 'x'.repeat(70_000))).rejects.toMatchObject({ code: 'TOO_LARGE' })
    expect(await store.list()).toEqual([])
  })

  test('a finished transaction rejects operations', async () => {
    const store = createStore()
    const late = await store.transaction(transaction => transaction)
    expect(() => late.set('a', 1)).toThrow('The transaction has finished')
  })
})
