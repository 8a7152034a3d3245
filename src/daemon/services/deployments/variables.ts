import type { ServerEnv, VariableChanges } from '../../../shared/contract/servers/variables.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { looksSecret } from '../../../shared/secret-names.ts'
import type { Build } from '../../store/tables/builds.ts'
import type { Deployment } from '../../store/tables/deployments.ts'
import type { Variable } from '../../store/tables/variables.ts'
import type { Previews } from '../builds/previews.ts'
import type { ServiceDependencies } from '../dependencies.ts'
import { readEnv } from './deployment-secrets.ts'
import { isRead, storeVariables } from './stored-variables.ts'

type Values = Record<string, string>
type Dependencies = Pick<ServiceDependencies, 'background' | 'clock' | 'secrets' | 'store'>

/**
 * Environment variables that stay with a server and environment. A deployment keeps the values that it was created with, so that
 * a restart or rollback uses the same values. Changes take effect with the next deployment.
 */
export class Variables {
  readonly #deps: Dependencies
  readonly #previews: Pick<Previews, 'refresh'>

  constructor(deps: Dependencies, previews: Pick<Previews, 'refresh'>) {
    this.#deps = deps
    this.#previews = previews
  }

  get(server: string, environment: Environment): ServerEnv {
    const { store } = this.#deps
    const live = store.deployments.findLive(server, environment)
    const released = live ? this.#readReleased(live) : {}
    const stored = store.variables.list(server, environment)
    const build = store.builds.findNewestReady(server)
    return {
      name: server,
      environment,
      live_deployment: live?.id ?? null,
      variables: stored.map(variable => ({
        ...this.#toRecord(variable, released),
        declared: !build || isRead(build, variable.name),
      })),
      missing: missingVariables(build, stored, live),
    }
  }

  /** Object that differs after every write, even of a secret. */
  version(server: string, environment: Environment): object {
    const stored = this.#deps.store.variables.list(server, environment)
    return { variables: stored.map(({ name, secret, updatedAt }) => ({ name, secret, updatedAt })) }
  }

  change(server: string, environment: Environment, changes: VariableChanges): ServerEnv {
    storeVariables(this.#deps, { server, environment }, changes)
    if (environment === 'development') this.#deps.background.run(() => this.#previews.refresh(server))
    return this.get(server, environment)
  }

  #toRecord({ name, sealed, secret, updatedAt }: Variable, released: Values) {
    const value = this.#unsealIfPossible(sealed)
    return {
      name,
      value: secret ? null : (value ?? null),
      secret,
      released: value !== undefined && Object.hasOwn(released, name) && released[name] === value,
      updated_at: updatedAt,
    }
  }

  /** Names stay readable when the key file has been lost, so that their values can be stored again. */
  #unsealIfPossible(sealed: Buffer): string | undefined {
    try {
      return this.#deps.secrets.unseal(sealed)
    } catch {
      return undefined
    }
  }

  #readReleased(live: Deployment): Values {
    try {
      return readEnv(this.#deps.secrets, live)
    } catch {
      return {}
    }
  }
}

/** Declared variables without a value. A value in the project file counts, because the live deployment has it. */
function missingVariables(
  build: Build | undefined,
  stored: readonly Variable[],
  live: Deployment | undefined,
): ServerEnv['missing'] {
  const known = new Set([...stored.map(({ name }) => name), ...ownNames(live)])
  const missing = (build?.env ?? []).filter(
    ({ name, default: value }) => value === undefined && !known.has(name),
  )
  return missing.map(({ name, required, description, secret }) => ({
    name,
    required,
    secret: secret ?? looksSecret(name, ''),
    ...(description !== undefined && { description }),
  }))
}

/** Names of variables that the deployment did not take from the stored ones. */
function ownNames(deployment: Deployment | undefined): string[] {
  const names = Object.keys(deployment?.config.env_vars ?? {})
  return names.filter(name => !deployment!.variables.includes(name))
}
