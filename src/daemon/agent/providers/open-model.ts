import { resolve } from 'node:path'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelVendor } from '../../../shared/contract/access/model-keys.ts'
import { HostingError } from '../../../shared/errors.ts'
import { type ModelChoice, modelName, takesImages } from './model-id.ts'
import { vendorFetch } from './vendor-fetch.ts'

/** A vendor's key, and its base URL for gateways and tests. */
interface VendorAccess {
  apiKey: string
  baseUrl?: string
}

export type ModelKeys = Partial<Record<ModelVendor, VendorAccess>>

export interface OpenedModel {
  model: LanguageModelV4
  /** Name in results. */
  name: string
  /** True when tool results may contain images. */
  takesImages: boolean
  /** Options by vendor. */
  providerOptions: Record<string, Record<string, string | boolean>>
}

/**
 * Loads the provider's code and opens the model. Throws CONFLICT when the vendor's key is missing, and the errors of `openGguf`
 * for a GGUF model.
 */
export async function openModel(choice: ModelChoice, keys: ModelKeys): Promise<OpenedModel> {
  const plain = { name: modelName(choice), takesImages: takesImages(choice), providerOptions: {} }
  switch (choice.kind) {
    case 'embedded': {
      const { createEmbeddedModel } = await import('../embedded/embedded-model.ts')
      return { ...plain, model: createEmbeddedModel() }
    }
    case 'anthropic': {
      const { apiKey, baseUrl } = requireKey('anthropic', keys, plain.name)
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      const provider = createAnthropic({ apiKey, baseURL: baseUrl, fetch: vendorFetch() })
      return { ...plain, model: provider(choice.model) }
    }
    case 'openai': {
      const { apiKey, baseUrl } = requireKey('openai', keys, plain.name)
      const { createOpenAI } = await import('@ai-sdk/openai')
      const provider = createOpenAI({ apiKey, baseURL: baseUrl, fetch: vendorFetch() })
      // The vendor must not store test conversations.
      return {
        ...plain,
        model: provider(choice.model),
        providerOptions: { openai: { store: false } },
      }
    }
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      const provider = createOpenAICompatible({
        name: 'local',
        baseURL: choice.baseUrl,
        apiKey: keyFor(choice.baseUrl, keys.openai),
        includeUsage: true,
        fetch: vendorFetch(),
      })
      return { ...plain, model: provider(choice.model) }
    }
    case 'gguf': {
      const { openGguf } = await import('./gguf.ts')
      return { ...plain, model: await openGguf(resolve(choice.file)) }
    }
  }
}

/** A key is sent only to the origin that it was configured for. */
function keyFor(baseUrl: string, access: VendorAccess | undefined): string | undefined {
  if (!access?.baseUrl) return undefined
  return URL.parse(access.baseUrl)?.origin === URL.parse(baseUrl)?.origin ? access.apiKey : undefined
}

const VENDOR_NAME = { anthropic: 'Anthropic', openai: 'OpenAI' } as const

function requireKey(vendor: ModelVendor, keys: ModelKeys, model: string): VendorAccess {
  const access = keys[vendor]
  if (access) return access
  throw new HostingError(
    'CONFLICT',
    `The model ${model} needs an API key for ${VENDOR_NAME[vendor]}, but none is configured.`,
    {
      details: `Set ${vendor.toUpperCase()}_API_KEY, or save one: mcp models login ${vendor}. The model "embedded" needs no key.`,
      next: [
        { description: 'Save a key', command: `mcp models login ${vendor}` },
        { description: 'Use the embedded model', command: 'mcp test --model embedded …' },
      ],
    },
  )
}
