import { z } from 'zod'
import { type DaemonHealth, daemonHealthSchema } from '../../shared/daemon-health.ts'
import { daemonProof } from '../../shared/daemon-proof.ts'
import { endpoint } from './endpoint.ts'

/** `nonce`: of the discovery file; it is never told. */
type DaemonFacts = Omit<DaemonHealth, 'status' | 'proof'> & { nonce: string }

/** Whoever found the daemon through its discovery file makes sure of it here, by a challenge. */
export function healthEndpoint({ nonce, ...facts }: DaemonFacts) {
  return endpoint({
    operationId: 'getDaemonHealth',
    summary: 'Tell which daemon this is',
    answers: { 200: { description: 'It runs', schema: daemonHealthSchema } },
    query: z.strictObject({ challenge: z.string().min(1).max(200).optional() }),
    run: ({ query: { challenge } }) => {
      const proof = challenge === undefined ? {} : { proof: daemonProof(nonce, challenge) }
      return { status: 200, data: { status: 'ok', ...proof, ...facts } }
    },
  })
}
