import type { Artifact } from '../../shared/artifact.ts'
import type { Tenant } from '../../shared/instance-protocol.ts'
import { commandLine, type ExistingProgram } from '../bridge/command-line.ts'
import { EarlyOutlet } from '../bridge/outlet.ts'
import { ProcessGuard } from '../bridge/process-guard.ts'
import type { PreparedServer } from '../prepared-server.ts'
import { prepareForwarding } from './forwarding-server.ts'
import { HttpChild } from './http-child.ts'

const START_TIMEOUT_MS = 25_000

/** Serves a program that serves MCP over HTTP itself. */
export function prepareHttpProgram(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const program = artifact.program as ExistingProgram
  const outlet = new EarlyOutlet()
  const guard = new ProcessGuard()
  return prepareForwarding(tenant, {
    artifact,
    outlet,
    what: 'program',
    path: program.path,
    open: onStarted => {
      const line = commandLine(program, tenant)
      outlet.warnOnce(line.gaps)
      return HttpChild.start(line, {
        guard,
        startTimeoutMs: START_TIMEOUT_MS,
        onStarted,
        onOutput: (stream, text) => outlet.print(stream, text),
      })
    },
    onClosed: () => guard.close(),
  })
}
