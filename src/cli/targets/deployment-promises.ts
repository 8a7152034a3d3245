import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import { formatDurationMs } from '../../shared/duration.ts'
import type { DeployResult } from '../project/deploy-server.ts'

/** Guarantees of the deployment's environment, in words. */
export function promiseFields({
  promises,
  config,
  staying_sessions: staying = [],
}: DeployResult): Record<string, string | undefined> {
  if (!promises) return {}
  const { placement, min_instances: min, max_instances: max, idle_seconds: idle } = promises
  const { session_seconds: session, memory_mb: memory } = promises
  const count = staying.reduce((sum, { sessions }) => sum + sessions, 0)
  return {
    instances:
      placement === 'shared' ? 'in a process with other servers' : countText(min, max, config?.engine),
    'memory limit': memory === null ? undefined : `${memory} MiB per instance`,
    'idle timeout': idle === null ? 'none' : formatDurationMs(idle * 1000),
    release: promises.release === 'gradual' ? gradualText(session) : 'immediate switch',
    sessions: count > 0 ? stayingText(count, staying.length) : undefined,
    'old deployments': keptText(promises.kept_deployments),
    'log level': promises.log_level,
  }
}

/** Network access of the server's code, in words. */
export function networkText(config: DeployResult['config']): string | undefined {
  if (!config) return undefined
  const { network, allow_private_network: isPrivateOpen = false } = config
  if (network === 'none') return 'none'
  if (network) return `only ${network.allow.join(', ')}`
  return isPrivateOpen ? 'open, private networks included' : 'open, except for private networks'
}

/** Web pages that may use the server, in words. Undefined when only the server's own pages may. */
export function pagesText(origins: NonNullable<DeployResult['config']>['origins']): string | undefined {
  if (origins === undefined || origins.length === 0) return undefined
  return origins === '*' ? 'of all origins' : `of ${origins.join(', ')}`
}

/** `1`, `1 to 10`, `1 to 10 in containers` */
function countText(min: number, max: number, engine: DeployConfig['engine']): string {
  const count = min === max ? String(min) : `${min} to ${max}`
  return engine === 'container' ? `${count} in ${max === 1 ? 'a container' : 'containers'}` : count
}

function stayingText(sessions: number, deployments: number): string {
  const where = deployments === 1 ? 'an earlier deployment' : `${deployments} earlier deployments`
  return `${sessions} still on ${where}`
}

function gradualText(sessionSeconds: number): string {
  const drained = 'the old deployment drains'
  return sessionSeconds > 0
    ? `${drained}, and sessions stay until idle for ${formatDurationMs(sessionSeconds * 1000)}`
    : drained
}

/** `count` includes the live deployment. */
function keptText(count: number | null): string {
  if (count === null) return 'all kept'
  return count === 1 ? 'none kept' : `newest ${count - 1} kept`
}
