import type { BuildRecord } from '../../../shared/contract/builds/builds.ts'
import type { StoreEnvironment } from '../../../shared/contract/states.ts'
import { counted } from '../../../shared/counted.ts'
import { formatDurationMs } from '../../../shared/duration.ts'
import { Tag } from '../../components/state.tsx'
import { servers } from '../../model/servers.ts'
import { Link } from '../../router/link.tsx'
import { serverPath } from '../paths.ts'

/** Environments whose current deployment or preview uses the build. */
export function usersOf({ mcp_id, name }: BuildRecord): readonly StoreEnvironment[] {
  const { deployments = [], build } = servers.value?.get(name) ?? {}
  const environments: StoreEnvironment[] = deployments
    .filter(deployment => deployment.mcp_id === mcp_id)
    .map(({ environment }) => environment)
  return build?.mcp_id === mcp_id && build.status === 'ready' ? [...environments, 'preview'] : environments
}

export function Users({ build }: { build: BuildRecord }) {
  const users = usersOf(build)
  if (users.length === 0) return <>–</>
  return (
    <span class="tags">
      {users.map(environment => (
        <Link
          key={environment}
          to={serverPath(build.name, environment === 'preview' ? '/playground' : '', environment)}
        >
          <Tag tone={environment === 'production' ? 'ok' : ''}>{environment}</Tag>
        </Link>
      ))}
    </span>
  )
}

/** `3 tools, 1 prompt` */
export function surfaceText({ tools = [], resources = [], prompts = [] }: BuildRecord): string {
  const counts = [
    [tools, 'tool'],
    [resources, 'resource'],
    [prompts, 'prompt'],
  ] as const
  const texts = counts
    .filter(([names]) => names.length > 0)
    .map(([names, noun]) => counted(names.length, noun))
  return texts.join(', ') || '–'
}

export function durationText({ status, build_time }: BuildRecord): string {
  return status === 'building' ? '–' : formatDurationMs(build_time * 1000)
}
