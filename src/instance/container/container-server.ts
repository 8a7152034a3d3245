import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { LogLine, Tenant } from '../../shared/instances/instance-protocol.ts'
import { BufferedReporter } from '../bridge/process/buffered-reporter.ts'
import { ProcessGuard } from '../bridge/process/process-guard.ts'
import { tryParseJson } from '../protocol/json-rpc.ts'
import { prepareForwarding } from '../proxy/forwarding-server.ts'
import type { PreparedServer } from '../server/prepared-server.ts'
import { ContainerChild } from './container-child.ts'
import { ContainerGuard } from './container-guard.ts'

const START_TIMEOUT_MS = 25_000
const DEFAULT_PATH = '/mcp'

/** Serves a deployment from its image: runs the container, watches it and forwards requests. */
export function prepareContainer(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const container = tenant.container!
  const reporter = new BufferedReporter()
  const processes = new ProcessGuard()
  const containers = new ContainerGuard(container)
  return prepareForwarding(tenant, {
    artifact,
    reporter,
    what: 'container',
    path: artifact.program?.type === 'image' ? artifact.program.path : DEFAULT_PATH,
    dropsOrigin: container.isOwn,
    logsRequests: container.isOwn,
    open: onStarted =>
      ContainerChild.start({
        container,
        tenant,
        processes,
        containers,
        startTimeoutMs: START_TIMEOUT_MS,
        onStarted,
        onOutput: (stream, line) => logOutput(reporter, stream, line, container.isOwn),
      }),
    onClosed() {
      processes.close()
      containers.close()
    },
  })
}

/**
 * Prefix of the line with the address inside the container (instance/standalone/standalone-server.ts), which is useless outside.
 */
const FIRST_LINE = '{"server":'

/** Our own image already writes lines in our log format. */
function logOutput(
  reporter: BufferedReporter,
  stream: 'stdout' | 'stderr',
  text: string,
  isOwn: boolean,
): void {
  const line = isOwn && stream === 'stdout' ? parseLogLine(text) : undefined
  if (line) reporter.copy(line)
  else if (!(isOwn && text.startsWith(FIRST_LINE))) reporter.print(stream, text)
}

function parseLogLine(text: string): LogLine | undefined {
  if (!text.startsWith('{"timestamp":')) return undefined
  const line = tryParseJson(text) as LogLine | undefined
  return typeof line?.timestamp === 'string' && typeof line.message === 'string' ? line : undefined
}
