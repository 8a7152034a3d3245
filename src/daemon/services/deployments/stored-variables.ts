import type { VariableChanges, VariableValues } from '../../../shared/contract/servers/variables.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { HostingError } from '../../../shared/errors.ts'
import { looksSecret } from '../../../shared/secret-names.ts'
import type { Store } from '../../store/store.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Variable } from '../../store/tables/variables.ts'
import type { SecretBox } from '../access/secrets.ts'
import type { Clock } from '../clock.ts'

type Values = Record<string, string>

/** The stored values, except those that are given instead. Throws UNAVAILABLE when a value cannot be decrypted. */
export function readStoredValues(
  { secrets, store }: { secrets: SecretBox; store: Store },
  server: string,
  environment: Environment,
  given: Values = {},
): Values {
  const stored = store.variables.list(server, environment).filter(({ name }) => !Object.hasOwn(given, name))
  return Object.fromEntries(stored.map(variable => [variable.name, unseal(secrets, variable)]))
}

function unseal(secrets: SecretBox, { name, server, environment, sealed }: Variable): string {
  try {
    return secrets.unseal(sealed)
  } catch (cause) {
    throw new HostingError(
      'UNAVAILABLE',
      `The stored variable ${name} of "${server}" in ${environment} cannot be decrypted: altered, or stored with another secret.key.`,
      { details: 'Store it again with mcp env set, or remove it with mcp env unset.', cause },
    )
  }
}

/** Stores and removes variables in one transaction. */
export function storeVariables(
  { clock, secrets, store }: { clock: Clock; secrets: SecretBox; store: Store },
  place: Pick<Variable, 'server' | 'environment'>,
  changes: VariableChanges,
): void {
  const declared = store.builds.findNewestReady(place.server)?.env ?? []
  const now = clock.now()
  store.transaction(() => {
    for (const [name, change] of Object.entries(changes)) {
      if (change === null) {
        store.variables.remove({ ...place, name })
        continue
      }
      const { value, secret } = typeof change === 'string' ? { value: change } : change
      const isSecret = secret ?? (isDeclaredSecret(declared, name) || looksSecret(name, value))
      const sealed = secrets.seal(value)
      store.variables.save({ ...place, name, sealed, secret: isSecret, createdAt: now, updatedAt: now })
    }
  })
}

/** True if the server reads the variable. Code without declarations reads all variables. */
export function isRead({ env, template }: Pick<Build, 'env' | 'template'>, name: string): boolean {
  return (template === 'custom' && env.length === 0) || env.some(declared => declared.name === name)
}

/** The values without their settings. */
export function plainValues(values: VariableValues): Values {
  const entries = Object.entries(values)
  return Object.fromEntries(
    entries.map(([name, given]) => [name, typeof given === 'string' ? given : given.value]),
  )
}

function isDeclaredSecret(declared: Build['env'], name: string): boolean {
  return declared.some(one => one.name === name && one.secret === true)
}
