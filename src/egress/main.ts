import type { FromEgress, ToEgress } from '../shared/network/egress-protocol.ts'
import { Egress } from './egress.ts'
import { systemResolver } from './resolve.ts'

/** The egress process: one per daemon, started for the first confined process. Exits when the channel to the daemon closes. */
const egress = new Egress(systemResolver, send)
process.on('message', (message: ToEgress, listener: unknown) => egress.receive(message, listener))
process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole process group, but the daemon decides when this process stops.
process.on('SIGINT', () => {})
send({ type: 'started' })

function send(message: FromEgress): void {
  // Ignores failures, because the channel may close at any time.
  if (process.connected) process.send!(message, undefined, undefined, () => {})
}
