import type { Tenant, TenantContainer } from '../../shared/instance-protocol.ts'

/** Of `/tmp`, the one folder that can be written. */
const TMP_MB = 64
/** Seconds between SIGTERM and SIGKILL where the engine itself ends it. */
const STOP_SECONDS = 1

/** A container as it is to be run. */
export interface RunPlan {
  name: string
  /** Published on loopback under the same number, so that the server's own idea of its address is right. */
  port: number
}

/**
 * Arguments and environment of the engine's client. Values of variables are not among the arguments, which anybody on the
 * machine can read, unless their name means something to the client itself.
 */
export function runArguments(
  container: TenantContainer,
  tenant: Tenant,
  { name, port }: RunPlan,
): { args: string[]; env: Record<string, string> } {
  const variables = Object.entries({ ...tenant.env, ...ownVariables(container, tenant), PORT: String(port) })
  const isMeantForClient = (variable: string) => variable in container.env || CLIENT_VARIABLE.test(variable)
  const args = [
    'run',
    ...['--name', name, '--pull', 'never', '--publish', `127.0.0.1:${port}:${port}`],
    ...Object.entries(container.labels).flatMap(([label, value]) => ['--label', `${label}=${value}`]),
    ...LOCKS,
    ...(container.engine === 'podman' ? ['--http-proxy=false'] : []),
    ...limits(container),
    ...variables.flatMap(([variable, value]) => [
      '--env',
      isMeantForClient(variable) ? `${variable}=${value}` : variable,
    ]),
    container.image,
  ]
  const passed = variables.filter(([variable]) => !isMeantForClient(variable))
  return { args, env: { ...container.env, ...Object.fromEntries(passed) } }
}

const CLIENT_VARIABLE =
  /^(PATH|HOME|LD_\w+|GO\w+|TMPDIR|XDG_\w+|CONTAINERS?_\w+|STORAGE_\w+|DOCKER_\w+|PODMAN_\w+|_\w+|\w*_PROXY|\w*_proxy)$/

/** The log is what the client prints: kept in the deployment's own files. */
const LOCKS = [
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

/** Memory and swap together are the limit: what swaps is slow for all others, too. */
function limits({ limits: { memoryMb, cpus, pids } }: TenantContainer): string[] {
  return [
    ...(memoryMb === undefined ? [] : ['--memory', `${memoryMb}m`, '--memory-swap', `${memoryMb}m`]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(pids === undefined ? [] : ['--pids-limit', String(pids)]),
  ]
}

/** What `runStandalone` reads. */
function ownVariables({ isOwn }: TenantContainer, tenant: Tenant): Record<string, string> {
  if (!isOwn) return {}
  return {
    STATE_KEY: tenant.stateKey,
    LOG_LEVEL: tenant.logLevel,
    ...(tenant.allowPrivateNetwork && { ALLOW_PRIVATE_NETWORK: '1' }),
  }
}
