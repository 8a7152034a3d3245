import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Outbox } from '../../src/instance/outbox.ts'
import type { FromInstance, Several } from '../../src/shared/instance-protocol.ts'

const TOOK: FromInstance[] = [
  { type: 'took', seq: 1 },
  { type: 'took', seq: 2 },
]
const WAKE: FromInstance = { type: 'wake', tenantId: 'dep_a' }

function createOutbox() {
  const sent: (FromInstance | Several)[] = []
  return { sent, outbox: new Outbox(message => sent.push(message)) }
}

test('acknowledgements of one turn go as one message, a single one as it is', async () => {
  const { sent, outbox } = createOutbox()
  for (const message of TOOK) outbox.send(message)
  expect(sent).toEqual([])
  await turn()
  outbox.send(TOOK[0]!)
  await turn()
  expect(sent).toEqual([{ type: 'several', messages: TOOK }, TOOK[0]])
})

test('all else goes at once, and what was to be said before goes before it in the same message', async () => {
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

test('what waits when the process ends is sent before', () => {
  const { sent, outbox } = createOutbox()
  for (const message of TOOK) outbox.send(message)
  outbox.flush()
  expect(sent).toEqual([{ type: 'several', messages: TOOK }])
})
