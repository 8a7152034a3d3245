import { daemonStoppingSchema } from '../../../shared/daemon-health.ts'
import { endpoint } from '../endpoint.ts'

export function daemonEndpoints(requestStop: () => void) {
  const stopDaemon = endpoint({
    operationId: 'stopDaemon',
    summary: 'Stop the daemon and everything it started',
    answers: { 202: { description: 'It is stopping', schema: daemonStoppingSchema } },
    run() {
      // The answer leaves first.
      setImmediate(requestStop)
      return { status: 202, data: { status: 'stopping' } }
    },
  })

  return { stopDaemon }
}
