import type { Artifact } from '../../shared/definitions/artifact.ts'
import type { ImageDefinition } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { LogLine } from '../../shared/instances/log-line.ts'
import { BufferedReporter } from '../bridge/process/buffered-reporter.ts'
import { ProcessGuard } from '../bridge/process/process-guard.ts'
import type { Programs } from '../bridge/process/programs.ts'
import { bridgePrograms } from '../bridge/stdio-server.ts'
import { tryParseJson } from '../protocol/json-rpc.ts'
import { prepareForwarding } from '../proxy/forwarding-server.ts'
import type { PreparedServer } from '../server/prepared-server.ts'
import { ContainerChild } from './container-child.ts'
import { ContainerGuard } from './container-guard.ts'
import { ContainerProcess } from './container-process.ts'
import { dataFolderOf } from './data-folder.ts'

const START_TIMEOUT_MS = 25_000
const DEFAULT_PATH = '/mcp'

/** Serves a deployment from its image: runs containers, watches them and forwards requests. */
export function prepareContainer(artifact: Artifact, tenant: Tenant): Promise<PreparedServer> {
  const image = artifact.program?.type === 'image' ? artifact.program : undefined
  return image?.transport === 'stdio'
    ? prepareStdioImage(artifact, image, tenant)
    : prepareHttpImage(artifact, image, tenant)
}

function prepareStdioImage(
  artifact: Artifact,
  settings: ImageDefinition,
  tenant: Tenant,
): Promise<PreparedServer> {
  const programs = containedPrograms(tenant, settings, dataFolderOf(artifact, tenant))
  return bridgePrograms(artifact, tenant, { settings, reporter: new BufferedReporter(), programs })
}

/** Containers that speak MCP over standard input and output. The process of each is the engine's client. */
function containedPrograms(tenant: Tenant, settings: ImageDefinition, data: string | undefined): Programs {
  const container = tenant.container!
  const processes = new ProcessGuard()
  const containers = new ContainerGuard(container)
  const options = { container, tenant, settings, data, processes, containers }
  return {
    start: onStderr => new ContainerProcess(options, { isInteractive: true, onStderr }),
    close() {
      processes.close()
      containers.close()
    },
  }
}

function prepareHttpImage(
  artifact: Artifact,
  settings: ImageDefinition | undefined,
  tenant: Tenant,
): Promise<PreparedServer> {
  const container = tenant.container!
  const reporter = new BufferedReporter()
  const processes = new ProcessGuard()
  const containers = new ContainerGuard(container)
  return prepareForwarding(tenant, {
    artifact,
    reporter,
    what: 'container',
    path: settings?.path ?? DEFAULT_PATH,
    dropsOrigin: container.isOwn,
    logsRequests: container.isOwn,
    open: onStarted =>
      ContainerChild.start({
        container,
        tenant,
        settings,
        data: dataFolderOf(artifact, tenant),
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
 * Prefix of the line that reports the URL inside the container (instance/standalone/standalone-server.ts), which is useless outside.
 */
const FIRST_LINE = '{"server":'

/** Logs a line of output. Our own image already writes lines in our log format. */
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
