import type { DeployRequest } from '../../../shared/contract/deployments/deployments.ts'
import { HostingError } from '../../../shared/errors.ts'
import { nearestName } from '../../../shared/names.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { isRead, plainValues, readStoredValues } from './stored-variables.ts'

type Values = Record<string, string>

/** Maximum number of names in a message. */
const MAX_LISTED = 20

/** The variables of a release. */
export interface ReleaseEnv {
  values: Values
  /** Names of the variables that take their stored value. */
  stored: string[]
}

/**
 * The stored values that the server can read, overridden by those in the request. Throws INVALID_REQUEST like `checkEnv`, and
 * UNAVAILABLE when stored values cannot be decrypted.
 */
export function releaseEnv(
  deps: Pick<ServiceDependencies, 'secrets' | 'store'>,
  build: Build,
  { environment, config, variables = {} }: DeployRequest,
): ReleaseEnv {
  const given = config?.env_vars ?? {}
  const toStore = plainValues(variables)
  const kept = readStoredValues(deps, build.name, environment, { ...toStore, ...given })
  // Given values are never left out silently. A warning names those that the server cannot read.
  const stored = { ...readableEnv(build, kept), ...toStore }
  checkEnv(build, { ...toStore, ...given }, { stored, environment })
  return {
    values: { ...stored, ...given },
    stored: Object.keys(stored).filter(name => !Object.hasOwn(given, name)),
  }
}

/**
 * Checks environment variables against those that the server declares. A server without declarations accepts any variables,
 * because the contract has no declarations. Only custom servers can read them. Throws INVALID_REQUEST naming unknown or missing
 * variables.
 */
export function checkEnv(
  { name: server, env }: Build,
  given: Values,
  { stored, environment }: { stored: Values; environment: string },
): void {
  const declared = env.map(({ name }) => name)
  const isDeclared = new Set(declared)
  const unknown = declared.length === 0 ? [] : Object.keys(given).filter(name => !isDeclared.has(name))
  if (unknown.length > 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `The server "${server}" declares no environment variable ${enumerate(unknown)}. It declares ${enumerate(declared)}.`,
      {
        details: unknown
          .slice(0, MAX_LISTED)
          .map(name => unknownSentence(name, declared))
          .join('; '),
      },
    )
  const missing = env.filter(
    ({ name, required, default: value }) =>
      required && value === undefined && !Object.hasOwn(given, name) && !Object.hasOwn(stored, name),
  )
  if (missing.length > 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `The server "${server}" needs the environment variable ${enumerate(missing.map(({ name }) => name))} in ${environment}. Store it with PATCH /v1/servers/${server}/env/${environment}, or set it in config.env_vars.`,
      {
        details: missing
          .slice(0, MAX_LISTED)
          .map(({ name }) => `config.env_vars.${name}: required`)
          .join('; '),
      },
    )
}

/** Variables that a server receives: declared ones with their defaults, or all if it is code without declarations. */
export function tenantEnv({ env, template }: Pick<Build, 'env' | 'template'>, given: Values): Values {
  if (template === 'custom' && env.length === 0) return given
  const entries = env.flatMap(({ name, default: value }) => {
    const chosen = Object.hasOwn(given, name) ? given[name] : value
    return chosen === undefined ? [] : [[name, chosen] as const]
  })
  return Object.fromEntries(entries)
}

/** Omits variables that the build does not read. They may be left from an earlier build that declared them. */
function readableEnv(build: Build, stored: Values): Values {
  return Object.fromEntries(Object.entries(stored).filter(([name]) => isRead(build, name)))
}

/** Describes what a rollback from `before` to `after` changes, without values. */
export function changedEnv(before: Values, after: Values): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap(name => {
    if (!Object.hasOwn(after, name)) return [`The environment variable ${name} is no longer set.`]
    if (!Object.hasOwn(before, name)) return [`This restores the environment variable ${name}.`]
    return before[name] === after[name]
      ? []
      : [`The environment variable ${name} has its previous value again.`]
  })
}

function enumerate(names: string[]): string {
  const shown = names.slice(0, MAX_LISTED).map(name => (name.length > 64 ? `${name.slice(0, 64)}…` : name))
  const rest = names.length - shown.length
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function unknownSentence(name: string, declared: string[]): string {
  const near = nearestName(name, declared)
  return `config.env_vars.${enumerate([name])}: not declared${near ? `, did you mean ${near}?` : ''}`
}
