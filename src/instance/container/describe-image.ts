import type { Artifact, Described } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { ChildStartError } from '../bridge/process/child-start-error.ts'
import { ProcessGuard } from '../bridge/process/process-guard.ts'
import { createErrorOutput } from '../log/error-output.ts'
import { describeAndStop } from '../proxy/describe-http.ts'
import { ContainerChild } from './container-child.ts'
import { ContainerGuard } from './container-guard.ts'

const START_TIMEOUT_MS = 60_000

/** Runs the image once to read its definitions. Rejects with ChildStartError when it does not become a server. */
export async function describeImage({ program }: Artifact, tenant: Tenant): Promise<Described> {
  if (program?.type !== 'image' || !tenant.container)
    throw new ChildStartError('there is no image, or no container engine to run it')
  const printError = createErrorOutput(tenant)
  const processes = new ProcessGuard()
  const containers = new ContainerGuard(tenant.container)
  try {
    const child = await ContainerChild.start({
      container: tenant.container,
      tenant,
      processes,
      containers,
      startTimeoutMs: START_TIMEOUT_MS,
      onOutput: (_stream, line) => printError(line),
    })
    return await describeAndStop(child, 'container', program.path)
  } finally {
    processes.close()
    containers.close()
  }
}
