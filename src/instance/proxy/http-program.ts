import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { BufferedReporter } from '../bridge/process/buffered-reporter.ts'
import { commandLine } from '../bridge/process/command-line.ts'
import { ProcessGuard } from '../bridge/process/process-guard.ts'
import type { RunnableProgram } from '../bridge/process/program-command.ts'
import type { PreparedServer } from '../server/prepared-server.ts'
import { prepareForwarding } from './forwarding-server.ts'
import { HttpChild } from './http-child.ts'

const START_TIMEOUT_MS = 25_000

/** Serves a program that speaks MCP over HTTP itself. */
export function prepareHttpProgram(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const program = artifact.program as RunnableProgram
  const reporter = new BufferedReporter()
  const guard = new ProcessGuard()
  return prepareForwarding(tenant, {
    artifact,
    reporter,
    what: 'program',
    path: program.path,
    open: onStarted => {
      const line = commandLine(program, tenant)
      reporter.warnOnce(line.gaps)
      return HttpChild.start(line, {
        guard,
        startTimeoutMs: START_TIMEOUT_MS,
        onStarted,
        onOutput: (stream, text) => reporter.print(stream, text),
      })
    },
    onClosed: () => guard.close(),
  })
}
