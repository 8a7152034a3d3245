import { HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import type { Build } from '../store/builds.ts'

type Values = Record<string, string>

/**
 * Checks the environment variables of a deployment against what its server declares. A server that declares none takes
 * any (the contract knows no declarations) and reads none. Throws INVALID_REQUEST that names every wrong or missing one.
 */
export function checkEnv({ name: server, env }: Build, given: Values): void {
  const declared = env.map(({ name }) => name)
  const unknown = declared.length === 0 ? [] : Object.keys(given).filter(name => !declared.includes(name))
  if (unknown.length > 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `The server "${server}" declares no environment variable ${unknown.join(', ')}; it declares ${declared.join(', ')}.`,
      { details: unknown.map(name => unknownSentence(name, declared)).join('; ') },
    )
  const missing = env.filter(
    ({ name, required, default: value }) => required && value === undefined && given[name] === undefined,
  )
  if (missing.length > 0)
    throw new HostingError(
      'INVALID_REQUEST',
      `The server "${server}" needs the environment variable ${missing.map(({ name }) => name).join(', ')}; give it in config.env_vars.`,
      { details: missing.map(({ name }) => `config.env_vars.${name}: required`).join('; ') },
    )
}

/** What the templates of a server see as `env`: declared names only, defaults filled in. */
export function tenantEnv({ env }: Build, given: Values): Values {
  const entries = env.flatMap(({ name, default: value }) => {
    const chosen = given[name] ?? value
    return chosen === undefined ? [] : [[name, chosen] as const]
  })
  return Object.fromEntries(entries)
}

/** For answers: names stay, values never leave the daemon. */
export function maskEnv(given: Values): Values {
  return Object.fromEntries(Object.keys(given).map(name => [name, '********']))
}

function unknownSentence(name: string, declared: string[]): string {
  const near = nearestName(name, declared)
  return `config.env_vars.${name}: not declared${near ? `, did you mean ${near}?` : ''}`
}
