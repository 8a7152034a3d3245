import type { Artifact, DescribedServer } from '../../shared/definitions/artifact.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import { prepareServer } from './prepare-server.ts'
import type { PreparedServer } from './prepared-server.ts'

/** Creates a server from any kind of artifact. Throws or rejects when the artifact cannot be served. */
export function prepare(
  artifact: Artifact,
  tenant: Tenant,
  bundle?: string,
): PreparedServer | Promise<PreparedServer> {
  if (tenant.container)
    return import('../container/container-server.ts').then(({ prepareContainer }) =>
      prepareContainer(artifact, tenant),
    )
  if (tenant.asleep === 'elsewhere')
    return import('./sleeping-server.ts').then(({ prepareSleepingServer }) =>
      prepareSleepingServer(artifact, tenant),
    )
  switch (artifact.program?.type) {
    case undefined:
      return prepareServer(artifact, tenant)
    case 'module':
      return prepareSupervised(artifact, tenant, requireBundle(bundle))
    case 'stdio':
      return import('../bridge/stdio-server.ts').then(({ prepareStdioServer }) =>
        prepareStdioServer(artifact, tenant),
      )
    case 'image':
      throw new Error(
        'The server is a container image, and there is no container engine to run it. Install podman or docker.',
      )
    case 'http':
      return import('../proxy/http-program.ts').then(({ prepareHttpProgram }) =>
        prepareHttpProgram(artifact, tenant),
      )
  }
}

async function prepareSupervised(
  artifact: Artifact,
  tenant: Tenant,
  bundle: string,
): Promise<PreparedServer> {
  const [{ prepareModule }, { supervise }] = await Promise.all([
    import('../module/prepare-module.ts'),
    import('../module/supervise.ts'),
  ])
  return supervise(await prepareModule(artifact, tenant, bundle), tenant)
}

/** Loads or starts a custom server and returns its definitions. */
export function describe(artifact: Artifact, tenant: Tenant, bundle?: string): Promise<DescribedServer> {
  switch (artifact.program?.type) {
    case 'module':
      return import('../module/describe-module.ts').then(({ describeModule }) =>
        describeModule(requireBundle(bundle)),
      )
    case 'stdio':
      return import('../bridge/describe-program.ts').then(({ describeStdioProgram }) =>
        describeStdioProgram(artifact, tenant),
      )
    case 'image':
      return import('../container/describe-image.ts').then(({ describeImage }) =>
        describeImage(artifact, tenant),
      )
    case 'http':
      return import('../proxy/describe-http.ts').then(({ describeHttpProgram }) =>
        describeHttpProgram(artifact, tenant),
      )
    case undefined:
      return Promise.reject(new Error('The artifact has no program to describe.'))
  }
}

function requireBundle(bundle: string | undefined): string {
  if (bundle === undefined)
    throw new Error('The code of the handler modules did not arrive with the artifact.')
  return bundle
}
