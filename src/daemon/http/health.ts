import { type DaemonHealth, daemonHealthSchema } from '../../shared/daemon-health.ts'
import { endpoint } from './endpoint.ts'

/** Whoever found the daemon through its discovery file makes sure of it here, by the nonce. */
export function healthEndpoint(facts: Omit<DaemonHealth, 'status'>) {
  return endpoint({
    operationId: 'getDaemonHealth',
    summary: 'Tell which daemon this is',
    answers: { 200: { description: 'It runs', schema: daemonHealthSchema } },
    run: () => ({ status: 200, data: { status: 'ok', ...facts } }),
  })
}
