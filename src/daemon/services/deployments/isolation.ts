import { resolve } from 'node:path'
import type { DeploymentStatus } from '../../../shared/contract/deployments/deployments.ts'
import { processorGaps } from '../../../shared/sandbox/control-groups.ts'
import { isolate, isolationSettings } from '../../../shared/sandbox/isolation.ts'
import { moduleIsolation } from '../../runtime/placement/placement.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import { loadArtifact } from '../builds/stored-builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { deploymentTenant, getServedBuild, type TenantDependencies } from '../serving/tenants.ts'

type Dependencies = TenantDependencies & Pick<ServiceDependencies, 'artifacts'>

/** Isolation of a deployment's code from the machine. Undefined for servers without code, and in containers. */
export function isolationOf(deps: Dependencies, deployment: Deployment): DeploymentStatus['isolation'] {
  if (deployment.config.engine === 'container') return undefined
  try {
    return codeIsolation(deps, deployment)
  } catch {
    return undefined // the artifact or variables cannot be read, which the start reports
  }
}

function codeIsolation(deps: Dependencies, deployment: Deployment): DeploymentStatus['isolation'] {
  const build = getServedBuild(deps, deployment.mcpId)
  if (build.template !== 'custom') return undefined
  const { program } = loadArtifact(deps, build)
  if (program?.type === 'module') return moduleIsolation()
  if (!program || program.type === 'image') return undefined
  const { program: place, env } = deploymentTenant(deps, deployment.id, undefined)
  if (!place) return undefined
  const { sandbox, gaps } = isolate({
    settings: isolationSettings(program),
    place,
    args: program.args,
    cwd: resolve(place.source ?? place.folder, program.cwd ?? '.'),
    values: Object.values(env),
    path: place.env.PATH ?? '',
  })
  return {
    sandbox: sandbox ? 'bubblewrap' : 'none',
    gaps: [...gaps, ...processorGaps(deployment.config.limits)],
  }
}
