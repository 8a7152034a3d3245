import { expect, onTestFinished, test } from 'vitest'
import { createClock } from '../../../../src/daemon/services/clock.ts'
import { Destinations } from '../../../../src/daemon/services/serving/destinations.ts'
import { openStore } from '../../../../src/daemon/store/store.ts'

test('writes nothing to a database that was handed over if there are no new counts', () => {
  const store = openStore(':memory:')
  onTestFinished(() => store.close())
  const errors: unknown[] = []
  const onError = (error: unknown) => errors.push(error)
  const destinations = new Destinations({ store, clock: createClock(), onError, onRefused() {} })
  const record = () =>
    destinations.record('dep_a', [
      {
        host: 'example.com',
        port: 443,
        connections: 1,
        failures: 0,
        refusals: 0,
        bytesSent: 5,
        bytesReceived: 7,
      },
    ])
  record()
  destinations.flush()
  store.database.setReadOnly(true)
  destinations.flush()
  expect(errors).toEqual([])
  // Counts of requests that end after the hand-over are reported as lost.
  record()
  destinations.flush()
  expect(errors).toHaveLength(1)
})
