import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** In search order. */
const CONTAINER_ENGINES = ['podman', 'docker'] as const
type ContainerEngineName = (typeof CONTAINER_ENGINES)[number]

const CONTAINER_LIMITS = ['memory', 'cpu', 'pids'] as const
export type ContainerLimit = (typeof CONTAINER_LIMITS)[number]

/** A usable container engine of this machine. */
export interface ContainerEngine {
  name: ContainerEngineName
  file: string
  version: string
  rootless: boolean
  /** Limits that the engine cannot enforce, because it has no access to their cgroup controllers. */
  withoutLimits: ContainerLimit[]
}

export type FoundEngine = { usable: true; engine: ContainerEngine } | { usable: false; why: string }

/** Long enough for a new engine, which creates its storage first. */
const ANSWER_MS = 20_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/**
 * Finds a working podman or docker in `PATH`. `MCP_CONTAINER_ENGINE` selects one by name or path. Takes about 200 ms. Never
 * rejects. `why` completes a sentence and has no full stop.
 */
export async function findContainerEngine(
  env: NodeJS.ProcessEnv,
  answerMs = ANSWER_MS,
): Promise<FoundEngine> {
  const wanted = env.MCP_CONTAINER_ENGINE
  const candidates = wanted ? [wanted] : CONTAINER_ENGINES
  const reasons: string[] = []
  for (const candidate of candidates) {
    const name = CONTAINER_ENGINES.find(one => candidate.split('/').at(-1) === one)
    if (!name) return { usable: false, why: unknownEngine(candidate) }
    const file = findExecutable(candidate, env.PATH ?? '')
    if (file === undefined) {
      reasons.push(
        wanted ? `${candidate} (MCP_CONTAINER_ENGINE) is not installed` : `${name} is not installed`,
      )
      continue
    }
    const found = await inspect(name, file, env, answerMs)
    if (found.usable) return found
    reasons.push(found.why)
  }
  return { usable: false, why: reasons.join('; ') }
}

/** Environment variables that locate the storage, server and settings of an engine's client. */
export function engineEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(from).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && PASSED_VARIABLES.test(entry[0]),
    ),
  )
}

const PASSED_VARIABLES =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_ALL|TZ|TMPDIR|DBUS_SESSION_BUS_ADDRESS|XDG_\w+|CONTAINERS?_\w+|STORAGE_\w+|REGISTRY_AUTH_FILE|DOCKER_\w+|PODMAN_\w+|BUILDAH_\w+|SSL_CERT_\w+|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/

async function inspect(
  name: ContainerEngineName,
  file: string,
  env: NodeJS.ProcessEnv,
  answerMs: number,
): Promise<FoundEngine> {
  const args = name === 'podman' ? ['info', '--format', 'json'] : ['info', '--format', '{{json .}}']
  const { error, stdout, stderr } = await run(file, args, engineEnvironment(env), answerMs)
  if (error) return { usable: false, why: `${name} does not work here: ${reasonOf(error, stderr, answerMs)}` }
  try {
    const facts = JSON.parse(stdout)
    const engine = name === 'podman' ? podmanFacts(facts) : dockerFacts(facts)
    return typeof engine === 'string'
      ? { usable: false, why: `${name} does not work here: ${engine}` }
      : { usable: true, engine: { name, file, ...engine } }
  } catch {
    return { usable: false, why: `${name} does not work here: "${name} ${args[0]}" did not print JSON` }
  }
}

type Facts = Pick<ContainerEngine, 'version' | 'rootless' | 'withoutLimits'>

interface PodmanInfo {
  host: { cgroupControllers?: string[]; security?: { rootless?: boolean } }
  version?: { Version?: string }
}

/** Facts about podman. Without privileges, it has the controllers that systemd delegates to the user. */
function podmanFacts({ host, version }: PodmanInfo): Facts {
  const controllers = new Set(host.cgroupControllers ?? [])
  return {
    version: version?.Version ?? '',
    rootless: host.security?.rootless === true,
    withoutLimits: CONTAINER_LIMITS.filter(limit => !controllers.has(limit)),
  }
}

interface DockerInfo {
  ServerVersion?: string
  ServerErrors?: string[]
  SecurityOptions?: string[]
  MemoryLimit?: boolean
  CpuCfsQuota?: boolean
  PidsLimit?: boolean
}

/** Facts about docker, or why it does not work. Without its server, docker still prints JSON, and some versions exit with 0. */
function dockerFacts(info: DockerInfo): Facts | string {
  if (!info.ServerVersion) return info.ServerErrors?.[0] ?? 'its server does not respond'
  const enforces = { memory: info.MemoryLimit, cpu: info.CpuCfsQuota, pids: info.PidsLimit }
  return {
    version: info.ServerVersion,
    rootless: info.SecurityOptions?.some(option => option.includes('rootless')) === true,
    withoutLimits: CONTAINER_LIMITS.filter(limit => enforces[limit] === false),
  }
}

interface Answer {
  error: (Error & { killed?: boolean; code?: unknown }) | null
  stdout: string
  stderr: string
}

function run(file: string, args: string[], env: NodeJS.ProcessEnv, timeout: number): Promise<Answer> {
  const options = { env, timeout, killSignal: 'SIGKILL' as const, maxBuffer: MAX_ANSWER_BYTES }
  return new Promise(resolve => {
    execFile(file, args, options, (error, stdout, stderr) => resolve({ error, stdout, stderr }))
  })
}

/** Reason for a failure, usually the last line of stderr. */
function reasonOf(error: NonNullable<Answer['error']>, stderr: string, answerMs: number): string {
  if (error.killed) return `it did not respond within ${answerMs / 1000} s`
  const line = stderr.trim().split('\n').at(-1)?.trim()
  if (line) return (LOG_LINE.exec(line)?.[1] ?? line).replace(/^(Error|ERROR): /, '').replace(/\.$/, '')
  return typeof error.code === 'number' ? `it exited with code ${error.code}` : error.message
}

/** Format of podman's log. */
const LOG_LINE = /^time=\S+ level=\w+ msg="(.*)"$/

function findExecutable(name: string, path: string): string | undefined {
  const candidates = name.includes('/') ? [name] : path.split(delimiter).map(folder => join(folder, name))
  return candidates.filter(isAbsolute).find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false // not executable
    }
  })
}

function unknownEngine(given: string): string {
  return `MCP_CONTAINER_ENGINE is "${given}", expected ${CONTAINER_ENGINES.join(', ')} or the path of one of them`
}
