import type { Component } from '../component.ts'
import type { GrantRecord } from '../storage/records.ts'

/** A grant that is neither over nor revoked. */
export async function findGrant({ storage }: Component, grantId: string): Promise<GrantRecord | undefined> {
  const [mark, grant] = await Promise.all([
    storage.get('revoked', grantId),
    storage.get<GrantRecord>('grant', grantId),
  ])
  return mark === undefined ? grant : undefined
}

/** When nothing that is issued now can be used any more. */
export function grantExpiry(component: Component): number {
  return component.now() + Math.max(component.tokenTTL, component.refreshTokenTTL ?? 0)
}

/** Keeps a grant as long as what is issued from it now; written twice as far ahead, so not with each refresh. */
export async function keepGrant(component: Component, grantId: string, grant: GrantRecord): Promise<void> {
  const needed = grantExpiry(component)
  if (grant.keptUntil >= needed) return
  const keptUntil = 2 * needed - component.now()
  await component.storage.put('grant', grantId, { ...grant, keptUntil }, keptUntil)
}

/** Ends a grant with every token issued from it. The mark stays until the last of these has expired by itself. */
export async function revokeGrant(component: Component, grantId: string): Promise<void> {
  await component.storage.put('revoked', grantId, {}, grantExpiry(component))
  await component.storage.delete('grant', grantId)
}
