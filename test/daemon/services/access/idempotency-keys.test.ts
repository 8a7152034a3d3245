import { expect, test } from 'vitest'
import { IdempotencyKeys } from '../../../../src/daemon/services/access/idempotency-keys.ts'
import type { ServiceDependencies } from '../../../../src/daemon/services/dependencies.ts'
import { openStore } from '../../../../src/daemon/store/store.ts'

/** Keys in a store whose transactions fail on commit while `isFull` is true, as they do on a full disk. */
function createKeys() {
  const store = openStore(':memory:')
  store.database.prepare('PRAGMA foreign_keys = OFF').run()
  const disk = { isFull: false }
  const transaction = <T>(work: () => T): T =>
    store.transaction(() => {
      const result = work()
      if (disk.isFull) throw new Error('the disk is full')
      return result
    })
  const deps = {
    store: { ...store, transaction },
    clock: { wallTime: () => '2026-03-01T00:00:00.000Z' },
    secrets: { derive: (text: string) => text, seal: Buffer.from, unseal: String },
    background: {
      attempt(work: () => void) {
        try {
          work()
        } catch {
          // The daemon reports the error.
        }
      },
    },
  } as unknown as ServiceDependencies
  return { keys: new IdempotencyKeys(deps), disk }
}

test('an idempotency key that could not be reserved on a full disk can be used again', () => {
  const { keys, disk } = createKeys()
  disk.isFull = true
  for (let count = 0; count < 2; count++) expect(() => keys.reserve('key_1', 'a', 'request')).toThrow('full')
  disk.isFull = false
  expect(keys.reserve('key_1', 'a', 'request').state).toBe('new')
  expect(keys.reserve('key_1', 'a', 'request').state).toBe('running')
})

test('an idempotency key whose request failed can be used again, although a full disk prevented the removal of its record', () => {
  const { keys, disk } = createKeys()
  const found = keys.reserve('key_1', 'a', 'request')
  disk.isFull = true
  if (found.state === 'new') found.reservation.release()
  expect(() => keys.reserve('key_1', 'a', 'request')).toThrow('full')
  disk.isFull = false
  expect(keys.reserve('key_1', 'a', 'request').state).toBe('new')
})
