import type { Artifact, DescribedServer } from '../../shared/definitions/artifact.ts'
import type { ImageDefinition } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { TenantContainer } from '../../shared/instances/tenant-container.ts'
import { DescribingClient } from '../bridge/describe-program.ts'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { ProcessGuard } from '../bridge/process/process-guard.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { describeAndStop } from '../proxy/describe-http.ts'
import { findFreePort } from '../proxy/http-child.ts'
import { answersHttp, ContainerChild } from './container-child.ts'
import { ContainerGuard } from './container-guard.ts'
import { type ContainerOptions, ContainerProcess } from './container-process.ts'

const START_TIMEOUT_MS = 60_000

/**
 * Runs the image once to read its definitions and, if no transport is configured, to detect the transport. Rejects with
 * ChildStartError when the image does not start as an MCP server.
 */
export async function describeImage({ program }: Artifact, tenant: Tenant): Promise<DescribedServer> {
  const { container } = tenant
  if (program?.type !== 'image' || !container)
    throw new ChildStartError('there is no image, or no container engine to run it')
  const processes = new ProcessGuard()
  const containers = new ContainerGuard(container)
  try {
    return await describe(program, { container, tenant, settings: program, processes, containers })
  } finally {
    processes.close()
    containers.close()
  }
}

async function describe(program: ImageDefinition, options: Options): Promise<DescribedServer> {
  if (program.transport === 'http') return describeHttp(program, options)
  // A container without a network is unreachable over HTTP.
  const mayServeHttp = program.transport === undefined && program.network !== 'none'
  const port = mayServeHttp ? await findFreePort() : undefined
  const running = start(options, port)
  try {
    const isStdio = await speaksStdio(running, port, options)
    if (isStdio) return { ...(await running.client.describe()), transport: 'stdio' }
    return await describeAndStop(httpChild(running.process, port!), 'container', program.path).then(
      described => ({ ...described, transport: 'http' }),
    )
  } finally {
    await running.client.stop()
  }
}

type Options = ContainerOptions & { container: TenantContainer }

interface RunningImage {
  process: ContainerProcess
  client: DescribingClient
}

/** A container that may speak over standard input and output or, with a port, over HTTP. */
function start(options: Options, port: number | undefined): RunningImage {
  let process: ContainerProcess | undefined
  const client = new DescribingClient(onStderr => {
    process = new ContainerProcess(options, { port, isInteractive: true, onStderr })
    return process
  }, options.tenant)
  return { process: process!, client }
}

/** Waits for the first answer. Resolves with false when it arrives over HTTP. Rejects with ChildStartError when there is none. */
async function speaksStdio(
  { process, client }: RunningImage,
  port: number | undefined,
  { container }: Options,
): Promise<boolean> {
  const opened = client.open().then(() => true)
  if (port === undefined) return opened
  const origin = `http://127.0.0.1:${port}`
  const overHttp = answersHttp(process, origin, START_TIMEOUT_MS, container)
  try {
    const first = await Promise.race([opened, overHttp.then(isHttp => (isHttp ? false : opened))])
    opened.catch(() => {}) // an HTTP server does not answer on its standard output
    return first
  } catch (error) {
    const { message, output } = error as ChildStartError
    throw new ChildStartError(`${message}; it did not answer over HTTP on $PORT (${port}) either`, output)
  }
}

function httpChild(process: ContainerProcess, port: number) {
  return { origin: `http://127.0.0.1:${port}`, process, stop: () => process.stop() }
}

async function describeHttp(program: ImageDefinition, options: Options): Promise<DescribedServer> {
  const printError = createErrorOutput(options.tenant)
  const child = await ContainerChild.start({
    ...options,
    startTimeoutMs: START_TIMEOUT_MS,
    onOutput: (_stream, line) => printError(line),
  })
  const described = await describeAndStop(child, 'container', program.path)
  return { ...described, transport: 'http' }
}
