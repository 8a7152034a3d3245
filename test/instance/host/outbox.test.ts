import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Outbox } from '../../../src/instance/host/outbox.ts'
import type { FromInstance, MessageBatch } from '../../../src/shared/instances/instance-protocol.ts'

const TOOK: FromInstance[] = [
  { type: 'took', seq: 1 },
  { type: 'took', seq: 2 },
]
const WAKE: FromInstance = { type: 'wake', tenantId: 'dep_a' }

function createOutbox() {
  const sent: (FromInstance | MessageBatch)[] = []
  return { sent, outbox: new Outbox(message => sent.push(message)) }
}

test('acknowledgements from one event loop turn are sent as one message, and a single acknowledgement is sent unchanged', async () => {
  const { sent, outbox } = createOutbox()
  for (const message of TOOK) outbox.send(message)
  expect(sent).toEqual([])
  await turn()
  outbox.send(TOOK[0]!)
  await turn()
  expect(sent).toEqual([{ type: 'several', messages: TOOK }, TOOK[0]])
})

test('messages other than acknowledgements are sent immediately, after the waiting acknowledgements', async () => {
  const { sent, outbox } = createOutbox()
  outbox.send(TOOK[0]!)
  outbox.send(WAKE)
  expect(sent).toEqual([{ type: 'several', messages: [TOOK[0], WAKE] }])
  await turn()
  expect(sent).toHaveLength(1)
  const handle = {}
  outbox.send(TOOK[0]!)
  outbox.send(WAKE, handle)
  expect(sent.slice(1)).toEqual([TOOK[0], WAKE])
})

test('a flush sends the waiting acknowledgements immediately', () => {
  const { sent, outbox } = createOutbox()
  for (const message of TOOK) outbox.send(message)
  outbox.flush()
  expect(sent).toEqual([{ type: 'several', messages: TOOK }])
})
