import { resolve } from 'node:path'
import { processorGaps } from '../../shared/control-groups.ts'
import type { DeploymentStatus } from '../../shared/deployments.ts'
import { isolate, isolationSettings } from '../../shared/program-sandbox/isolation.ts'
import { moduleIsolation } from '../runtime/placement.ts'
import type { Deployment } from '../store/deployments.ts'
import type { Rooms } from './rooms.ts'
import { loadArtifact } from './served.ts'
import { deploymentTenant, getServedBuild } from './tenants.ts'

/** What keeps the code of a deployment from the machine. Undefined for servers without code, and in containers. */
export function isolationOf(rooms: Rooms, deployment: Deployment): DeploymentStatus['isolation'] {
  if (deployment.config.engine === 'container') return undefined
  try {
    return codeIsolation(rooms, deployment)
  } catch {
    return undefined // its artifact or its variables cannot be read, which its start reports
  }
}

function codeIsolation(rooms: Rooms, deployment: Deployment): DeploymentStatus['isolation'] {
  const build = getServedBuild(rooms, deployment.mcpId)
  if (build.template !== 'custom') return undefined
  const { program } = loadArtifact(rooms, build)
  if (program?.type === 'module') return moduleIsolation()
  if (!program || program.type === 'image') return undefined
  const { program: place, env } = deploymentTenant(rooms, deployment.id, undefined)
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
