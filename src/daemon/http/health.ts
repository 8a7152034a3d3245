import { timingSafeEqual } from 'node:crypto'
import * as z from 'zod'
import { type DaemonHealth, daemonHealthSchema } from '../../shared/contract/daemon/daemon-health.ts'
import { proofOf } from '../../shared/daemon-proof.ts'
import { endpoint } from './endpoint.ts'

/** `nonce` is in the discovery file. The daemon never sends it. */
type DaemonFacts = Omit<DaemonHealth, 'status' | 'proof'> & { nonce: string }

/** Health of the daemon. With a challenge, clients verify that it is the daemon named in their discovery file. */
export function healthEndpoint({ nonce, ...facts }: DaemonFacts) {
  const expected = proofOf(nonce)
  return endpoint({
    operationId: 'getDaemonHealth',
    summary: 'Show which daemon answers',
    answers: { 200: { description: 'The daemon is running.', schema: daemonHealthSchema } },
    query: z.strictObject({
      challenge: z.string().min(1).max(200).optional().describe('First half of the nonce in `daemon.json`.'),
    }),
    run: ({ query: { challenge } }) => {
      const isKnown = challenge !== undefined && isSame(challenge, expected.challenge)
      return { status: 200, data: { status: 'ok', ...(isKnown && { proof: expected.answer }), ...facts } }
    },
  })
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
