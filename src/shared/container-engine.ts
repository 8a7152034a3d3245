import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/** In the order in which they are looked for. */
export const CONTAINER_ENGINES = ['podman', 'docker'] as const
export type ContainerEngineName = (typeof CONTAINER_ENGINES)[number]

export const CONTAINER_LIMITS = ['memory', 'cpu', 'pids'] as const
export type ContainerLimit = (typeof CONTAINER_LIMITS)[number]

/** A program that runs containers here. */
export interface ContainerEngine {
  name: ContainerEngineName
  /** The executable. */
  file: string
  version: string
  rootless: boolean
  /** Limits that it cannot hold here, because this user was not given their cgroup controllers. */
  withoutLimits: ContainerLimit[]
}

export type FoundEngine = { usable: true; engine: ContainerEngine } | { usable: false; why: string }

/** An engine that has not answered by then hangs; one that was just installed makes its storage first. */
const ANSWER_MS = 20_000
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/**
 * Looks for podman, then docker, in the folders of `PATH`, and asks it whether it works; `MCP_CONTAINER_ENGINE` names the one
 * to take, or its path. Takes some 200 ms. Never rejects: `why` is the rest of a sentence, without a full stop.
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
        wanted
          ? `${candidate}, which MCP_CONTAINER_ENGINE names, is not installed`
          : `${name} is not installed`,
      )
      continue
    }
    const found = await ask(name, file, env, answerMs)
    if (found.usable) return found
    reasons.push(found.why)
  }
  return { usable: false, why: reasons.join('; ') }
}

/** What an engine's own client needs of the environment: where its storage, its server and its settings are. */
export function engineEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(from).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && PASSED.test(entry[0]),
    ),
  )
}

const PASSED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LC_ALL|TZ|TMPDIR|DBUS_SESSION_BUS_ADDRESS|XDG_\w+|CONTAINERS?_\w+|STORAGE_\w+|REGISTRY_AUTH_FILE|DOCKER_\w+|PODMAN_\w+|BUILDAH_\w+|SSL_CERT_\w+|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$/

async function ask(
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
    return { usable: false, why: `${name} does not work here: "${name} ${args[0]}" answered what is no JSON` }
  }
}

type Facts = Pick<ContainerEngine, 'version' | 'rootless' | 'withoutLimits'>

interface PodmanInfo {
  host: { cgroupControllers?: string[]; security?: { rootless?: boolean } }
  version?: { Version?: string }
}

/** Without privileges it has the controllers that systemd delegates to its user. */
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

/** It answers, and ends with 0 in some versions, without its server. */
function dockerFacts(info: DockerInfo): Facts | string {
  if (!info.ServerVersion) return info.ServerErrors?.[0] ?? 'its server does not answer'
  const holds = { memory: info.MemoryLimit, cpu: info.CpuCfsQuota, pids: info.PidsLimit }
  return {
    version: info.ServerVersion,
    rootless: info.SecurityOptions?.some(option => option.includes('rootless')) === true,
    withoutLimits: CONTAINER_LIMITS.filter(limit => holds[limit] === false),
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

/** The last thing that it said, which is where programs put their errors. */
function reasonOf(error: NonNullable<Answer['error']>, stderr: string, answerMs: number): string {
  if (error.killed) return `it did not answer within ${answerMs / 1000} s`
  const said = stderr.trim().split('\n').at(-1)?.trim()
  if (said) return (LOG_LINE.exec(said)?.[1] ?? said).replace(/^(Error|ERROR): /, '').replace(/\.$/, '')
  return typeof error.code === 'number' ? `it ended with exit code ${error.code}` : error.message
}

/** As podman writes its own log. */
const LOG_LINE = /^time=\S+ level=\w+ msg="(.*)"$/

function findExecutable(name: string, path: string): string | undefined {
  const candidates = name.includes('/') ? [name] : path.split(delimiter).map(folder => join(folder, name))
  return candidates.filter(isAbsolute).find(file => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false // which is the answer
    }
  })
}

function unknownEngine(given: string): string {
  return `MCP_CONTAINER_ENGINE is "${given}": it must be ${CONTAINER_ENGINES.join(' or ')}, or the path of one of them`
}
