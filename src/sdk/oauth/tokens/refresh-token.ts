import { equalSecrets, type Sealer } from '../secrets.ts'

/** One of the refresh tokens that follow each other in a grant. */
export interface RefreshToken {
  grantId: string
  /** 0 for the first, one more for each that replaced another. */
  generation: number
}

const PURPOSE = 'refresh-token'

/**
 * A refresh token says its grant and generation, and proves with a MAC that we wrote it for this client. So of a grant nothing but
 * its current generation has to be kept, and a token that was replaced, however long ago, is known for what it is.
 */
export function writeRefreshToken(sealer: Sealer, clientId: string, token: RefreshToken): string {
  const { grantId, generation } = token
  return `${grantId}.${generation}.${sealer.authenticate(PURPOSE, [clientId, grantId, generation])}`
}

/** Undefined for what we did not write, or wrote for another client. */
export function readRefreshToken(sealer: Sealer, clientId: string, token: string): RefreshToken | undefined {
  const [, grantId, digits, mac] = /^([\w-]{1,64})\.(\d{1,10})\.([\w-]{43})$/.exec(token) ?? []
  if (grantId === undefined || mac === undefined) return undefined
  const generation = Number(digits)
  const isOurs = equalSecrets(mac, sealer.authenticate(PURPOSE, [clientId, grantId, generation]))
  return isOurs ? { grantId, generation } : undefined
}
