import {
  checkListSchema,
  repairListSchema,
  repairRequestSchema,
} from '../../../shared/contract/daemon/checks.ts'
import {
  backupListSchema,
  backupSchema,
  type DaemonState,
  daemonStateSchema,
  daemonStoppingSchema,
  daemonUpgradingSchema,
  type UpgradeRequest,
  upgradeRequestSchema,
} from '../../../shared/contract/daemon/daemon-health.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { Services } from '../../services/services.ts'
import { dataEndpoint } from '../endpoint.ts'

/** Upgrades of the daemon, provided by the program that started it. */
export interface Upgrades {
  /** Throws CONFLICT while an upgrade is running. */
  begin(request: UpgradeRequest): void
  state(): DaemonState['upgrade']
}

export function daemonEndpoints(
  { backups }: Services,
  {
    requestStop,
    upgrades,
    facts,
    namedPorts,
  }: {
    requestStop(): void
    upgrades?: Upgrades | undefined
    facts: Pick<DaemonState, 'pid' | 'version' | 'startedAt'>
    namedPorts: DaemonState['namedPorts']
  },
) {
  const { pid, version, startedAt } = facts
  const describeDaemon = dataEndpoint({
    operationId: 'describeDaemon',
    summary: 'Show the daemon and its last upgrade',
    answers: { 200: { description: 'The daemon.', schema: daemonStateSchema } },
    run: () => ({
      pid,
      version,
      startedAt,
      memoryBytes: process.memoryUsage.rss(),
      ...(namedPorts && { namedPorts }),
      upgrade: upgrades?.state() ?? null,
    }),
  })

  const upgradeDaemon = dataEndpoint({
    operationId: 'upgradeDaemon',
    summary: 'Replace the daemon while its servers keep answering',
    answers: { 202: { description: 'The next daemon is starting.', schema: daemonUpgradingSchema } },
    body: upgradeRequestSchema,
    run({ body }) {
      if (!upgrades)
        throw new HostingError(
          'UNAVAILABLE',
          'This daemon runs inside another program and cannot be upgraded.',
        )
      upgrades.begin(body)
      return { status: 'upgrading' }
    },
  })

  const stopDaemon = dataEndpoint({
    operationId: 'stopDaemon',
    summary: 'Stop the daemon and everything it started',
    answers: { 202: { description: 'The daemon is stopping.', schema: daemonStoppingSchema } },
    run() {
      // Stops after responding.
      setImmediate(requestStop)
      return { status: 'stopping' }
    },
  })

  const backUp = dataEndpoint({
    operationId: 'backUpDatabase',
    summary: 'Back up the database and the files that it refers to',
    answers: { 201: { description: 'The backup.', schema: backupSchema } },
    run: () => backups.create(),
  })

  const listBackups = dataEndpoint({
    operationId: 'listBackups',
    summary: 'List backups in the home and in external storage',
    answers: { 200: { description: 'The backups.', schema: backupListSchema } },
    run: () => backups.list(),
  })

  const checkDaemon = dataEndpoint({
    operationId: 'checkDaemon',
    summary: 'Check the machine and the home of the daemon',
    answers: { 200: { description: 'The results.', schema: checkListSchema } },
    async run() {
      const checks = await backups.check()
      return { ok: checks.every(({ status }) => status !== 'fail'), checks }
    },
  })

  const repairDaemon = dataEndpoint({
    operationId: 'repairDaemon',
    summary: "Repair problems that checks found in the daemon's home, without losing data",
    body: repairRequestSchema,
    answers: { 200: { description: 'The repairs.', schema: repairListSchema } },
    run: async ({ body }) => ({ items: await backups.repair(body.checks) }),
  })

  return { stopDaemon, backUp, checkDaemon, repairDaemon, listBackups, describeDaemon, upgradeDaemon }
}
