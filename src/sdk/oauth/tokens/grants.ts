import type { Component } from '../component.ts'
import type { GrantRecord } from '../storage/records.ts'
import { CLOCK_TOLERANCE_SECONDS } from './verify-access-token.ts'

/** Finds a grant that is neither expired nor revoked. */
export async function findGrant({ storage }: Component, grantId: string): Promise<GrantRecord | undefined> {
  const [mark, grant] = await Promise.all([
    storage.get('revoked', grantId),
    storage.get<GrantRecord>('grant', grantId),
  ])
  return mark === undefined ? grant : undefined
}

/** Latest expiry of a token that is issued now. */
export function grantExpiry(component: Component): number {
  return component.now() + Math.max(component.tokenTTL, component.refreshTokenTTL ?? 0)
}

/** Keeps a grant until its new tokens expire. Stores twice the needed time, which avoids a write on every refresh. */
export async function keepGrant(component: Component, grantId: string, grant: GrantRecord): Promise<void> {
  const needed = grantExpiry(component)
  if (grant.keptUntil >= needed) return
  const keptUntil = 2 * needed - component.now()
  await component.storage.put('grant', grantId, { ...grant, keptUntil }, keptUntil)
}

/** Revokes a grant with all its tokens. The marker stays until no verifier accepts the last token. */
export async function revokeGrant(component: Component, grantId: string): Promise<void> {
  const expiresAt = grantExpiry(component) + CLOCK_TOLERANCE_SECONDS
  await component.storage.put('revoked', grantId, {}, expiresAt)
  await component.storage.delete('grant', grantId)
}
