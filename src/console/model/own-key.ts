import type { KeyInfo } from '../../shared/contract/access/api-keys.ts'
import { request } from '../api/client.ts'

/** Loads the key whose permissions this browser has. */
export function ownKey(signal: AbortSignal): Promise<KeyInfo> {
  return request('GET', '/api/deployments/api-key/info', { signal })
}
