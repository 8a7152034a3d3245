import { basename, resolve } from 'node:path'
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import type { DeployConfig } from '../../shared/contract/deployments/deploy-config.ts'
import type { ImageDefinition, Mount } from '../../shared/definitions/definitions.ts'
import { HostingError } from '../../shared/errors.ts'
import { readEnvVars } from '../variables/given-variables.ts'

/** A server that `docker run` or `podman run` would start. */
export interface ContainerCommand {
  program: ImageDefinition
  env_vars: Record<string, string>
  limits: NonNullable<DeployConfig['limits']>
}

/** Flags with an effect, by their long names. */
const FLAGS = {
  env: { type: 'string', short: 'e', multiple: true },
  'env-file': { type: 'string', multiple: true },
  volume: { type: 'string', short: 'v', multiple: true },
  mount: { type: 'string', multiple: true },
  network: { type: 'string' },
  net: { type: 'string' },
  entrypoint: { type: 'string' },
  user: { type: 'string', short: 'u' },
  workdir: { type: 'string', short: 'w' },
  memory: { type: 'string', short: 'm' },
  cpus: { type: 'string' },
  'pids-limit': { type: 'string' },
  interactive: { type: 'boolean', short: 'i' },
} as const satisfies ParseArgsOptionsConfig

/**
 * Flags without an effect, because containers here are always unnamed and removed when they stop, and missing images are pulled.
 */
const IGNORED_FLAGS = {
  rm: { type: 'boolean' },
  init: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  attach: { type: 'string', short: 'a', multiple: true },
  name: { type: 'string' },
  pull: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig

/** Reasons why common flags are not supported. */
const REASONS: Record<string, string> = {
  '-p': 'a server over HTTP needs no published port. Use --image and let it listen on $PORT',
  '--publish': 'a server over HTTP needs no published port. Use --image and let it listen on $PORT',
  '-t': 'MCP needs standard input without a terminal. Omit the flag',
  '--tty': 'MCP needs standard input without a terminal. Omit the flag',
  '-d': 'the daemon runs the container. Omit the flag',
  '--detach': 'the daemon runs the container. Omit the flag',
  '--privileged': 'containers here have no privileges',
}

/**
 * Parses `docker run …` and `podman run …`. Undefined for other programs. `-e NAME` takes its value from `env`. Throws
 * INVALID_REQUEST for other commands of the engine and for flags that are not supported.
 */
export function parseContainerCommand(
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): ContainerCommand | undefined {
  const [file = '', ...rest] = words
  const engine = basename(file)
  if (engine !== 'docker' && engine !== 'podman') return undefined
  const args = rest[0] === 'container' ? rest.slice(1) : rest
  if (args[0] !== 'run')
    throw unsupportedCommand(
      `${[engine, ...rest.slice(0, 2)].join(' ')}: only "${engine} run" can be hosted.`,
    )
  const { flags, image, imageArgs } = parseRun(args.slice(1))
  if (image === undefined) throw unsupportedCommand(`${engine} run names no image.`)
  return {
    program: toProgram(flags, image, imageArgs),
    env_vars: readVariables(flags, env),
    limits: toLimits(flags),
  }
}

type Flags = ReturnType<typeof parseFlags>['values']

function parseFlags(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: { ...FLAGS, ...IGNORED_FLAGS },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
}

/** The image is the first word that is not a flag. Everything after it belongs to the program in the container. */
function parseRun(args: readonly string[]): { flags: Flags; image: string | undefined; imageArgs: string[] } {
  const { tokens } = parseFlags(args)
  const at = tokens.find(({ kind }) => kind === 'positional')?.index ?? args.length
  const own = parseFlags(args.slice(0, at))
  for (const token of own.tokens)
    if (token.kind === 'option') checkFlag(token.name, token.rawName, token.value)
  return { flags: own.values, image: args[at], imageArgs: args.slice(at + 1) }
}

function checkFlag(name: string, rawName: string, value: string | undefined): void {
  const known = { ...FLAGS, ...IGNORED_FLAGS }[name as keyof typeof FLAGS]
  if (known && (known.type === 'boolean' || value !== undefined)) return
  const reason = REASONS[rawName]
  throw unsupportedCommand(
    known
      ? `${rawName} needs a value.`
      : `${rawName} is not supported${reason === undefined ? '' : `: ${reason}`}.`,
    `Supported: ${Object.keys(FLAGS)
      .map(flag => `--${flag}`)
      .join(', ')}.`,
  )
}

function toProgram(flags: Flags, image: string, args: string[]): ImageDefinition {
  const mounts = [...listOf(flags.volume).map(parseVolume), ...listOf(flags.mount).map(parseMount)]
  const network = textOf(flags.network ?? flags.net)
  const [entrypoint, user, workdir] = [flags.entrypoint, flags.user, flags.workdir].map(textOf)
  return {
    type: 'image',
    image,
    path: '/mcp',
    ...(flags.interactive === true && { transport: 'stdio' as const }),
    ...(args.length > 0 && { args }),
    ...(mounts.length > 0 && { mounts }),
    ...(network !== undefined && { network }),
    ...(entrypoint !== undefined && { entrypoint }),
    ...(user !== undefined && { user }),
    ...(workdir !== undefined && { workdir }),
  }
}

/** `SOURCE:TARGET[:OPTIONS]`. Like docker, resolves relative paths from this folder. */
function parseVolume(text: string): Mount {
  const [source = '', target, options = ''] = text.split(':')
  if (target === undefined) throw unsupportedCommand(`--volume ${text} must be SOURCE:TARGET.`)
  const unknown = options.split(',').find(option => !['', 'ro', 'rw', 'z', 'Z'].includes(option))
  if (unknown !== undefined)
    throw unsupportedCommand(`--volume ${text}: the option "${unknown}" is not supported.`)
  return toMount(source, target, options.split(',').includes('ro'))
}

/** `type=bind,source=SOURCE,target=TARGET[,readonly]` */
function parseMount(text: string): Mount {
  const pairs = text.split(',').map(field => field.split('=', 2) as [string, string?])
  const fields = new Map(pairs.map(([name, value]) => [name, value]))
  const source = fields.get('source') ?? fields.get('src')
  const target = fields.get('target') ?? fields.get('dst') ?? fields.get('destination')
  const type = fields.get('type') ?? 'volume'
  if (!source || !target || !['bind', 'volume'].includes(type))
    throw unsupportedCommand(`--mount ${text} must be type=bind|volume,source=SOURCE,target=TARGET.`)
  const isReadonly = ['readonly', 'ro'].some(name => fields.has(name) && fields.get(name) !== 'false')
  return toMount(source, target, isReadonly)
}

function toMount(source: string, target: string, isReadonly: boolean): Mount {
  const isPath = /[/~]/.test(source) || source.startsWith('.')
  return { source: isPath ? resolve(source) : source, target, ...(isReadonly && { readonly: true }) }
}

/** Like docker, omits a variable that is not set in this shell. */
function readVariables(flags: Flags, env: NodeJS.ProcessEnv): Record<string, string> {
  const given = listOf(flags.env).filter(one => one.includes('=') || env[one] !== undefined)
  return readEnvVars(listOf(flags['env-file']), given, env)
}

const UNITS: Record<string, number> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

function toLimits(flags: Flags): ContainerCommand['limits'] {
  const [memory, cpus, pids] = [flags.memory, flags.cpus, flags['pids-limit']].map(textOf)
  return {
    ...(memory !== undefined && { memory_mb: toMegabytes(memory) }),
    ...(cpus !== undefined && { cpus: toCpus(cpus) }),
    ...(pids !== undefined && { pids: toPids(pids) }),
  }
}

function toMegabytes(text: string): number {
  const [, count, unit = 'b'] = /^(\d+)([bkmg]?)b?$/i.exec(text) ?? []
  if (count === undefined) throw unsupportedCommand(`--memory ${text} must be a size such as 512m.`)
  return Math.ceil((Number(count) * UNITS[unit.toLowerCase() || 'b']!) / UNITS.m!)
}

function toCpus(text: string): number {
  if (/^(\d+\.?\d*|\.\d+)$/.test(text) && Number(text) > 0) return Number(text)
  throw unsupportedCommand(`--cpus ${text} must be a positive number such as 0.5.`)
}

function toPids(text: string): number {
  if (/^\d+$/.test(text) && Number(text) > 0) return Number(text)
  throw unsupportedCommand(`--pids-limit ${text} must be a positive whole number such as 256.`)
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : String(value)
}

function unsupportedCommand(message: string, details?: string): HostingError {
  return new HostingError(
    'INVALID_REQUEST',
    `--command: ${message}`,
    details === undefined ? {} : { details },
  )
}
