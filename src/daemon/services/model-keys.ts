import { HostingError } from '../../shared/errors.ts'
import { MODEL_VENDORS, type ModelKeyRecord, type ModelVendor } from '../../shared/model-keys.ts'
import type { ModelAccess } from '../../shared/test-runs.ts'
import type { ModelKeys } from '../agent/providers/open-model.ts'
import type { Rooms } from './rooms.ts'

const VARIABLES = {
  anthropic: { key: 'ANTHROPIC_API_KEY', url: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
} as const

/** The vendors' keys that the test agent may use: of the daemon's environment, and saved ones, encrypted at rest. */
export class VendorKeys {
  readonly #rooms: Pick<Rooms, 'store' | 'clock' | 'secrets'>
  readonly #env: NodeJS.ProcessEnv

  constructor(rooms: Pick<Rooms, 'store' | 'clock' | 'secrets'>, env: NodeJS.ProcessEnv = process.env) {
    this.#rooms = rooms
    this.#env = env
  }

  /** Of each vendor the first that there is: what came with the request, the environment's, the saved one. */
  resolve(given: ModelAccess = {}): ModelKeys {
    const keys: ModelKeys = {}
    for (const vendor of MODEL_VENDORS) {
      const access = given[vendor]
      const found = access
        ? { apiKey: access.api_key, baseUrl: access.base_url }
        : (this.#ofEnvironment(vendor) ?? this.#saved(vendor))
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
    const ofEnvironment = this.#ofEnvironment(vendor)
    if (ofEnvironment)
      return {
        vendor,
        source: 'environment',
        hint: hintOf(ofEnvironment.apiKey),
        baseUrl: ofEnvironment.baseUrl ?? null,
      }
    const saved = this.#rooms.store.modelKeys.find(vendor)
    return {
      vendor,
      source: saved ? 'saved' : null,
      hint: saved?.hint ?? null,
      baseUrl: saved?.baseUrl ?? null,
    }
  }

  /** Differs between keys with the same hint. Throws NOT_FOUND for an unknown vendor. */
  version(name: string): object {
    const record = this.get(name)
    return { ...record, savedAt: this.#rooms.store.modelKeys.find(record.vendor)?.createdAt ?? null }
  }

  /** Throws NOT_FOUND for an unknown vendor. */
  save(name: string, apiKey: string, baseUrl: string | undefined): ModelKeyRecord {
    const { store, secrets, clock } = this.#rooms
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
    if (this.#rooms.store.modelKeys.remove(vendor)) return
    throw new HostingError('NOT_FOUND', `No key of ${vendor} is saved.`)
  }

  #ofEnvironment(vendor: ModelVendor) {
    const { key, url } = VARIABLES[vendor]
    const apiKey = this.#env[key]
    return apiKey ? { apiKey, baseUrl: this.#env[url] || undefined } : undefined
  }

  #saved(vendor: ModelVendor) {
    const saved = this.#rooms.store.modelKeys.find(vendor)
    return saved && { apiKey: this.#rooms.secrets.unseal(saved.sealed), baseUrl: saved.baseUrl ?? undefined }
  }
}

function getVendor(name: string): ModelVendor {
  const vendor = MODEL_VENDORS.find(one => one === name)
  if (vendor) return vendor
  throw new HostingError(
    'NOT_FOUND',
    `There is no model vendor "${name}"; there are ${MODEL_VENDORS.join(' and ')}.`,
  )
}

/** `…3f9a`: enough to tell two keys apart, too little to use one. */
function hintOf(key: string): string {
  return key.length >= 12 ? `…${key.slice(-4)}` : '…'
}
