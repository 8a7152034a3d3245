import type { KeyInfo } from '../../../shared/contract/access/api-keys.ts'
import type { ModelKeyList, ModelVendor } from '../../../shared/contract/access/model-keys.ts'
import { request } from '../../api/client.ts'
import { type Resource, useResource } from '../../api/resource.ts'
import { ownKey } from '../../model/own-key.ts'

export const VENDOR_NAMES: Record<ModelVendor, string> = { anthropic: 'Anthropic', openai: 'OpenAI' }

/** Keys of model vendors, and this browser's API key, whose scopes decide whether it can change them. */
export interface Models {
  keys: ModelKeyList
  own: KeyInfo
}

export function useModels(): Resource<Models> {
  return useResource('models', {
    load: async signal => {
      const [keys, own] = await Promise.all([
        request<ModelKeyList>('GET', '/api/model-keys', { signal }),
        ownKey(signal),
      ])
      return { keys, own }
    },
    concerns: ({ type }) => type === 'reset' || type === 'modelKey',
  })
}
