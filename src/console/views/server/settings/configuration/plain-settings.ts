import type { DeploymentStatus } from '../../../../../shared/contract/deployments/deployments.ts'
import { formatSeconds } from '../../../../../shared/format/relative-time.ts'

export interface PlainSetting {
  name: string
  value: string
  isDefault: boolean
}

type Config = DeploymentStatus['config']

/** Settings of a deployment in words. `promises` has the effective values. */
export function plainSettings({ config, promises }: DeploymentStatus): PlainSetting[] {
  return [...scaling(config, promises), ...limits(config, promises), ...traffic(config, promises)]
}

function scaling({ scaling, engine, image }: Config, promises: DeploymentStatus['promises']): PlainSetting[] {
  const { min_instances: min = 1, max_instances: max = 10 } = scaling ?? {}
  const isDefault = min === 1 && max === 10
  const [least, most] = [promises?.min_instances ?? min, promises?.max_instances ?? max]
  const idle = promises?.idle_seconds ?? null
  return [
    { name: 'Instances', value: least === most ? `${least}` : `${least} to ${most}`, isDefault },
    {
      name: 'Sleeps',
      value: idle === null ? 'never' : `after ${formatSeconds(idle)} without use`,
      isDefault,
    },
    {
      name: 'Runs in',
      value: engine === 'container' ? `a container${image ? ` of ${image}` : ''}` : 'processes',
      isDefault: engine === undefined,
    },
  ]
}

function limits(config: Config, promises: DeploymentStatus['promises']): PlainSetting[] {
  const { memory_mb: memory, cpus, pids } = config.limits ?? {}
  const applied = promises ? promises.memory_mb : memory
  return [
    {
      name: 'Memory per instance',
      value: applied ? `${applied} MiB` : 'shares a process with other servers',
      isDefault: memory === undefined,
    },
    {
      name: 'Processors per instance',
      value: cpus === undefined ? 'no limit' : `${cpus}`,
      isDefault: cpus === undefined,
    },
    {
      name: 'Processes and threads',
      value: `${pids ?? (config.engine === 'container' ? 256 : 512)}`,
      isDefault: pids === undefined,
    },
    {
      name: 'Time limit for a handler',
      value: plainSeconds(config.timeout_seconds ?? 60),
      isDefault: config.timeout_seconds === undefined,
    },
  ]
}

function traffic(config: Config, promises: DeploymentStatus['promises']): PlainSetting[] {
  const { domain, network, allow_private_network: isPrivate, origins, session_seconds: session } = config
  const kept = promises?.session_seconds ?? session ?? 0
  return [
    { name: 'Custom domain', value: domain ?? 'none', isDefault: domain === undefined },
    {
      name: 'Idle sessions',
      value: kept === 0 ? 'move with each release' : `stay with their release for ${plainSeconds(kept)}`,
      isDefault: session === undefined,
    },
    { name: 'Network', value: networkText(network), isDefault: network === undefined },
    {
      name: 'Private network',
      value: isPrivate ? 'reachable' : 'not reachable',
      isDefault: isPrivate === undefined,
    },
    { name: 'Web pages', value: originsText(origins), isDefault: origins === undefined },
    {
      name: 'Log level',
      value: promises?.log_level ?? config.log_level ?? 'info',
      isDefault: config.log_level === undefined,
    },
    {
      name: 'Arguments and answers',
      value: promises?.record_bodies ? 'kept with requests, redacted' : 'not kept',
      isDefault: config.record_bodies === undefined,
    },
  ]
}

function networkText(network: Config['network']): string {
  if (network === undefined) return 'public network'
  return network === 'none' ? 'none' : `only ${network.allow.join(', ')}`
}

function originsText(origins: Config['origins']): string {
  if (origins === undefined || origins.length === 0) return 'only its own'
  return origins === '*' ? 'all' : origins.join(', ')
}

/** Exact, because it is a setting: `90 s`, `30 min`. */
export function plainSeconds(count: number): string {
  return count >= 60 && count % 60 === 0 ? formatMinutes(count / 60) : `${count} s`
}

function formatMinutes(count: number): string {
  return count % 60 === 0 ? `${count / 60} h` : `${count} min`
}
