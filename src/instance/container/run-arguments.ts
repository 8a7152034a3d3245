import type { ImageDefinition } from '../../shared/definitions/definitions.ts'
import type { Tenant } from '../../shared/instances/instance-protocol.ts'
import type { TenantContainer } from '../../shared/instances/tenant-container.ts'
import { fillFolders, storageVariables } from '../bridge/process/program-storage.ts'
import { DATA_TARGET, dataArguments } from './data-folder.ts'

/** Size of the container's writable `/tmp`. */
const TMP_MB = 64
/** DATA_DIR of an image that is only described. */
const SCRATCH = '/tmp'
/** Delay between SIGTERM and SIGKILL when the engine stops the container. */
const STOP_SECONDS = 1

/** Settings for running an image. */
export type ImageSettings = Pick<
  ImageDefinition,
  'args' | 'entrypoint' | 'mounts' | 'network' | 'user' | 'workdir'
>

export interface RunPlan {
  name: string
  /** Port that is published on loopback under the same number, so that the server's own URL is right. */
  port?: number | undefined
  /** Connects the container's standard input. */
  isInteractive?: boolean | undefined
  settings?: ImageSettings | undefined
  /** Folder on this machine that is mounted as the container's DATA_DIR. */
  data?: string | undefined
}

/**
 * Arguments and environment of the engine's client. Any user on the machine can read arguments, so they do not contain values of
 * variables, unless the client itself would interpret the variable.
 */
export function runArguments(
  container: TenantContainer,
  tenant: Tenant,
  { name, port, isInteractive, settings = {}, data }: RunPlan,
): { args: string[]; env: Record<string, string> } {
  const folder = data === undefined ? (container.isOwn ? undefined : SCRATCH) : DATA_TARGET
  const variables = Object.entries({
    ...(folder === undefined
      ? tenant.env
      : { ...storageVariables(folder), ...fillFolders(tenant.env, { DATA_DIR: folder }) }),
    ...ownVariables(container, tenant),
    ...(port !== undefined && { PORT: String(port) }),
  })
  const isMeantForClient = (variable: string) => variable in container.env || CLIENT_VARIABLE.test(variable)
  const args = [
    'run',
    ...['--name', name, '--pull', 'never'],
    ...(port === undefined ? [] : ['--publish', `127.0.0.1:${port}:${port}`]),
    ...(isInteractive ? ['--interactive'] : []),
    ...Object.entries(container.labels).flatMap(([label, value]) => ['--label', `${label}=${value}`]),
    ...LOCK_DOWN_FLAGS,
    ...(container.engine === 'podman' ? ['--http-proxy=false'] : []),
    ...limits(container),
    ...variables.flatMap(([variable, value]) => [
      '--env',
      isMeantForClient(variable) ? `${variable}=${value}` : variable,
    ]),
    ...dataArguments(data, container),
    ...imageOptions(settings),
    container.image,
    ...(settings.args ?? []),
  ]
  const passed = variables.filter(([variable]) => !isMeantForClient(variable))
  return { args, env: { ...container.env, ...Object.fromEntries(passed) } }
}

const CLIENT_VARIABLE =
  /^(PATH|HOME|LD_\w+|GO\w+|TMPDIR|XDG_\w+|CONTAINERS?_\w+|STORAGE_\w+|DOCKER_\w+|PODMAN_\w+|_\w+|\w*_PROXY|\w*_proxy)$/

/** No log driver, because the client's output is written to the deployment's own log. */
const LOCK_DOWN_FLAGS = [
  '--log-driver',
  'none',
  '--read-only',
  '--tmpfs',
  `/tmp:rw,nosuid,nodev,size=${TMP_MB}m,mode=1777`,
  '--cap-drop',
  'ALL',
  '--security-opt',
  'no-new-privileges',
  '--stop-timeout',
  String(STOP_SECONDS),
]

function imageOptions({ entrypoint, mounts = [], network, user, workdir }: ImageSettings): string[] {
  return [
    ...(entrypoint === undefined ? [] : ['--entrypoint', entrypoint]),
    ...mounts.flatMap(({ source, target, readonly }) => [
      '--volume',
      `${source}:${target}${readonly ? ':ro' : ''}`,
    ]),
    ...(network === undefined ? [] : ['--network', network]),
    ...(user === undefined ? [] : ['--user', user]),
    ...(workdir === undefined ? [] : ['--workdir', workdir]),
  ]
}

/** Arguments for the limits. The memory limit covers memory and swap together, because swapping slows down all servers. */
function limits({ limits: { memoryMb, cpus, pids } }: TenantContainer): string[] {
  return [
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(pids === undefined ? [] : ['--pids-limit', String(pids)]),
  ]
}

/** Variables that `runStandalone` reads. */
function ownVariables({ isOwn }: TenantContainer, tenant: Tenant): Record<string, string> {
  if (!isOwn) return {}
  return {
    STATE_KEY: tenant.stateKey,
    LOG_LEVEL: tenant.logLevel,
    ...(tenant.recordsBodies !== undefined && { RECORD_BODIES: tenant.recordsBodies ? '1' : '0' }),
    ...(tenant.allowPrivateNetwork && { ALLOW_PRIVATE_NETWORK: '1' }),
  }
}
