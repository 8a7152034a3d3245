import { equalSecrets, type Sealer } from '../secrets.ts'

/** Refresh token of a grant. */
export interface RefreshToken {
  grantId: string
  /** 0 for the first token. Each replacement adds 1. */
  generation: number
}

const PURPOSE = 'refresh-token'

/**
 * A refresh token contains its grant and generation, and a MAC for the client. Only the current generation of a grant needs to
 * be stored, and replaced tokens are recognized forever.
 */
export function writeRefreshToken(sealer: Sealer, clientId: string, token: RefreshToken): string {
  const { grantId, generation } = token
  return `${grantId}.${generation}.${sealer.authenticate(PURPOSE, [clientId, grantId, generation])}`
}

/** Undefined for a token that is not ours or belongs to another client. */
export function readRefreshToken(sealer: Sealer, clientId: string, token: string): RefreshToken | undefined {
  const [, grantId, digits, mac] = /^([\w-]{1,64})\.(\d{1,10})\.([\w-]{43})$/.exec(token) ?? []
  if (grantId === undefined || mac === undefined) return undefined
  const generation = Number(digits)
  const isOurs = equalSecrets(mac, sealer.authenticate(PURPOSE, [clientId, grantId, generation]))
  return isOurs ? { grantId, generation } : undefined
}
