import type { Component } from '../component.ts'
import type { GrantRecord } from '../storage/records.ts'
import { grantExpiry } from './issue-tokens.ts'

/** A grant that is neither over nor revoked. */
export async function findGrant({ storage }: Component, grantId: string): Promise<GrantRecord | undefined> {
  if (await storage.get('revoked', grantId)) return undefined
  return storage.get<GrantRecord>('grant', grantId)
}

/** Ends a grant with every token issued from it. The mark stays until the last of these has expired by itself. */
export async function revokeGrant(component: Component, grantId: string): Promise<void> {
  await component.storage.put('revoked', grantId, {}, grantExpiry(component))
  await component.storage.delete('grant', grantId)
}
