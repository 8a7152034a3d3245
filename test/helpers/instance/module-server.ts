import { fileURLToPath } from 'node:url'
import { buildArtifact } from '../../../src/daemon/builder/build-artifact.ts'
import { bundleProject } from '../../../src/daemon/builder/project/bundle.ts'
import { findModules } from '../../../src/daemon/builder/project/find-modules.ts'
import { mergeDescribed } from '../../../src/daemon/builder/project/merge-described.ts'
import { parseModuleDefinitions } from '../../../src/daemon/builder/project/module-definitions.ts'
import type { Artifact, DescribedServer } from '../../../src/shared/definitions/artifact.ts'
import type { BuildRequest } from '../../../src/shared/definitions/definitions.ts'
import type { Tenant } from '../../../src/shared/instances/instance-protocol.ts'
import { createArtifact } from '../../fixtures/instance/artifact.ts'
import { createProjectFolder } from '../daemon/project-folder.ts'
import { type InstanceAddress, InstanceHarness, startInstance, tenantAt } from './instance-harness.ts'

const SDK = fileURLToPath(new URL('../../../dist/server.js', import.meta.url))
const NODE_MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

export interface ModuleServer {
  harness: InstanceHarness
  address: InstanceAddress
  artifact: Artifact
  bundle: string
}

export interface ModuleOptions {
  request?: Partial<BuildRequest>
  tenant?: Partial<Tenant>
}

/** Serves a project with these files, bundled by the builder, in a real instance process. */
export async function startModules(
  files: Record<string, string>,
  { request = {}, tenant = {} }: ModuleOptions = {},
): Promise<ModuleServer> {
  using project = createProjectFolder(files)
  project.link('node_modules', NODE_MODULES)
  const full = { name: 'test', template: 'custom', source: 'src_test', ...request } as BuildRequest
  const modules = findModules(project.path, full)
  const bundle = await bundleProject({ directory: project.path, modules, sdk: SDK })
  const described = await describeModules(bundle)
  const merged = parseModuleDefinitions(mergeDescribed(full, described), modules)
  const program = { type: 'module' as const, bundle: 'digest' }
  const { artifact } = buildArtifact(merged, { ...described, program })
  return { ...(await startInstance(artifact, { tenant, bundle })), artifact, bundle }
}

/** Describes the code. Rejects with the error from the process when the code cannot be loaded. */
async function describeModules(bundle: string): Promise<DescribedServer> {
  const harness = new InstanceHarness()
  const tenant = tenantAt(1, { id: 'build_1' })
  const artifact = createArtifact({ program: { type: 'module', bundle: 'digest' } })
  try {
    harness.send({ type: 'describe', tenant, artifact, bundle })
    const answer = await Promise.race([harness.message('described'), harness.message('failed')])
    if (answer.type === 'described') return answer.described
    throw Object.assign(new Error(answer.message), { trace: answer.stack })
  } finally {
    await harness.stop()
  }
}
