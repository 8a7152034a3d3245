import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import type { Build } from '../store/builds.ts'

type Values = Record<string, string>

/** Names that a sentence lists at most. */
const MAX_TOLD = 20

/**
 * Checks the environment variables of a deployment against what its server declares. A server that declares none takes
 * any (the contract knows no declarations) and reads none. Throws INVALID_REQUEST that names every wrong or missing one.
 */
export function checkEnv({ name: server, env }: Build, given: Values): void {
  const declared = env.map(({ name }) => name)
  const isDeclared = new Set(declared)
  const unknown = declared.length === 0 ? [] : Object.keys(given).filter(name => !isDeclared.has(name))
  if (unknown.length > 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `The server "${server}" declares no environment variable ${enumerate(unknown)}; it declares ${enumerate(declared)}.`,
      {
        details: unknown
          .slice(0, MAX_TOLD)
          .map(name => unknownSentence(name, declared))
          .join('; '),
      },
    )
  const missing = env.filter(
    ({ name, required, default: value }) => required && value === undefined && !Object.hasOwn(given, name),
  )
  if (missing.length > 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `The server "${server}" needs the environment variable ${enumerate(missing.map(({ name }) => name))}; give it in config.env_vars.`,
      {
        details: missing
          .slice(0, MAX_TOLD)
          .map(({ name }) => `config.env_vars.${name}: required`)
          .join('; '),
      },
    )
}

/** What a server sees as `env`: declared names only, defaults filled in; code that declares nothing sees all that is given. */
export function tenantEnv({ env, template }: Pick<Build, 'env' | 'template'>, given: Values): Values {
  if (template === 'custom' && env.length === 0) return given
  const entries = env.flatMap(({ name, default: value }) => {
    const chosen = Object.hasOwn(given, name) ? given[name] : value
    return chosen === undefined ? [] : [[name, chosen] as const]
  })
  return Object.fromEntries(entries)
}

/** What is different once `after` is in force, as sentences; never a value. */
export function changedEnv(before: Values, after: Values): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap(name => {
    if (!Object.hasOwn(after, name)) return [`The environment variable ${name} is not set any more.`]
    if (!Object.hasOwn(before, name)) return [`The environment variable ${name} is set again.`]
    return before[name] === after[name]
      ? []
      : [`The environment variable ${name} has its earlier value again.`]
  })
}

function enumerate(names: string[]): string {
  const shown = names.slice(0, MAX_TOLD).map(name => (name.length > 64 ? `${name.slice(0, 64)}…` : name))
  const rest = names.length - shown.length
  return shown.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}

function unknownSentence(name: string, declared: string[]): string {
  const near = nearestName(name, declared)
  return `config.env_vars.${enumerate([name])}: not declared${near ? `, did you mean ${near}?` : ''}`
}
