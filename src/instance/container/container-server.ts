import type { Artifact } from '../../shared/artifact.ts'
import type { LogLine, Tenant } from '../../shared/instance-protocol.ts'
import { EarlyOutlet } from '../bridge/outlet.ts'
import { ProcessGuard } from '../bridge/process-guard.ts'
import type { PreparedServer } from '../prepared-server.ts'
import { prepareForwarding } from '../proxy/forwarding-server.ts'
import { ContainerChild } from './container-child.ts'
import { ContainerGuard } from './container-guard.ts'

const START_TIMEOUT_MS = 25_000
const DEFAULT_PATH = '/mcp'

/** Serves a deployment from its image: this process passes requests on to the container and watches over it. */
export function prepareContainer(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const container = tenant.container!
  const outlet = new EarlyOutlet()
  const processes = new ProcessGuard()
  const containers = new ContainerGuard(container)
  return prepareForwarding(tenant, {
    artifact,
    outlet,
    what: 'container',
    path: artifact.program?.type === 'image' ? artifact.program.path : DEFAULT_PATH,
    dropsOrigin: container.isOwn,
    tellsRequests: container.isOwn,
    open: onStarted =>
      ContainerChild.start({
        container,
        tenant,
        processes,
        containers,
        startTimeoutMs: START_TIMEOUT_MS,
        onStarted,
        onOutput: (stream, line) => tell(outlet, stream, line, container.isOwn),
      }),
    onClosed() {
      processes.close()
      containers.close()
    },
  })
}

/** Where it listens inside (instance/standalone-server.ts), which is of no use to anybody out here. */
const FIRST_LINE = '{"server":'

/** Our own image writes the lines of our own log. */
function tell(outlet: EarlyOutlet, stream: 'stdout' | 'stderr', text: string, isOwn: boolean): void {
  const line = isOwn && stream === 'stdout' ? parseLogLine(text) : undefined
  if (line) outlet.copy(line)
  else if (!(isOwn && text.startsWith(FIRST_LINE))) outlet.print(stream, text)
}

function parseLogLine(text: string): LogLine | undefined {
  if (!text.startsWith('{"timestamp":')) return undefined
  try {
    const line = JSON.parse(text)
    return typeof line.timestamp === 'string' && typeof line.message === 'string' ? line : undefined
  } catch {
    return undefined // printed by somebody else
  }
}
