import {
  MODEL_VENDORS,
  type ModelKeyRecord,
  type ModelVendor,
} from '../../../shared/contract/access/model-keys.ts'
import type { ModelAccess } from '../../../shared/contract/testing/test-runs.ts'
import { HostingError } from '../../../shared/errors.ts'
import type { ModelKeys } from '../../agent/providers/open-model.ts'
import type { ServiceDependencies } from '../dependencies.ts'

const VARIABLES = {
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
} as const

type Dependencies = Pick<ServiceDependencies, 'store' | 'clock' | 'secrets'>

/** Vendor keys for the test agent, from the daemon's environment or saved. Saved keys are encrypted at rest. */
export class VendorKeys {
  readonly #deps: Dependencies
  readonly #env: NodeJS.ProcessEnv

  constructor(deps: Dependencies, env: NodeJS.ProcessEnv = process.env) {
    this.#deps = deps
    this.#env = env
  }

  /** Resolves the key of each vendor. A key in the request comes first, then the environment, then the saved key. */
  resolve(given: ModelAccess = {}): ModelKeys {
    const keys: ModelKeys = {}
    for (const vendor of MODEL_VENDORS) {
      const access = given[vendor]
      const found = access
        ? { apiKey: access.api_key, baseUrl: access.base_url }
        : (this.#fromEnvironment(vendor) ?? this.#savedKey(vendor))
      if (found) keys[vendor] = found
    }
    return keys
  }

  list(): ModelKeyRecord[] {
    return MODEL_VENDORS.map(vendor => this.get(vendor))
  }

  /** Throws NOT_FOUND for an unknown vendor. */
  get(name: string): ModelKeyRecord {
    const vendor = getVendor(name)
    const fromEnvironment = this.#fromEnvironment(vendor)
    if (fromEnvironment)
      return {
        vendor,
        source: 'environment',
        hint: hintOf(fromEnvironment.apiKey),
        baseUrl: fromEnvironment.baseUrl ?? null,
      }
    const saved = this.#deps.store.modelKeys.find(vendor)
    return {
      vendor,
      source: saved ? 'saved' : null,
      hint: saved?.hint ?? null,
      baseUrl: saved?.baseUrl ?? null,
    }
  }

  /** Object that differs even between keys with the same hint. Throws NOT_FOUND for an unknown vendor. */
  version(name: string): object {
    const record = this.get(name)
    return { ...record, savedAt: this.#deps.store.modelKeys.find(record.vendor)?.createdAt ?? null }
  }

  /** Throws NOT_FOUND for an unknown vendor. */
  save(name: string, apiKey: string, baseUrl: string | undefined): ModelKeyRecord {
    const { store, secrets, clock } = this.#deps
    const vendor = getVendor(name)
    const hint = hintOf(apiKey)
    store.modelKeys.save({
      vendor,
      sealed: secrets.seal(apiKey),
      baseUrl: baseUrl ?? null,
      hint,
      createdAt: clock.now(),
    })
    return { vendor, source: 'saved', hint, baseUrl: baseUrl ?? null }
  }

  /** Throws NOT_FOUND. */
  remove(name: string): void {
    const vendor = getVendor(name)
    if (this.#deps.store.modelKeys.remove(vendor)) return
    throw new HostingError('NOT_FOUND', `No key for ${vendor} is saved.`)
  }

  #fromEnvironment(vendor: ModelVendor) {
    const { key, url } = VARIABLES[vendor]
    const apiKey = this.#env[key]
    return apiKey ? { apiKey, baseUrl: this.#env[url] || undefined } : undefined
  }

  #savedKey(vendor: ModelVendor) {
    const { store, secrets } = this.#deps
    const saved = store.modelKeys.find(vendor)
    if (!saved) return undefined
    const names = {
      what: `The saved key for ${vendor}`,
      replace: `save the key again: mcp models login ${vendor}`,
    }
    return { apiKey: secrets.unseal(saved.sealed, names), baseUrl: saved.baseUrl ?? undefined }
  }
}

function getVendor(name: string): ModelVendor {
  const vendor = MODEL_VENDORS.find(known => known === name)
  if (vendor) return vendor
  throw new HostingError(
    'NOT_FOUND',
    `Model vendor "${name}" does not exist. Known vendors: ${MODEL_VENDORS.join(', ')}.`,
  )
}

/** The last four characters of a key, such as `…3f9a`. Only `…` for a key of fewer than 12 characters. */
function hintOf(key: string): string {
  return key.length >= 12 ? `…${key.slice(-4)}` : '…'
}
