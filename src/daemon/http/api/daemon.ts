import { backupSchema, daemonStoppingSchema } from '../../../shared/daemon-health.ts'
import type { Services } from '../../services/services.ts'
import { endpoint } from '../endpoint.ts'

export function daemonEndpoints({ backups }: Services, requestStop: () => void) {
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

  const backUp = endpoint({
    operationId: 'backUpDatabase',
    summary: 'Copy the database while it is used',
    answers: { 201: { description: 'Where the copy lies', schema: backupSchema } },
    run: async () => ({ status: 201, data: await backups.create() }),
  })

  return { stopDaemon, backUp }
}
