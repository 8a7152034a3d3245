import { createHmac } from 'node:crypto'

/**
 * What `GET /health?challenge=…` answers as `proof`: only who can read the discovery file (0600) knows its nonce, so a
 * program that took over the port of a dead daemon cannot pass for it and be sent the owner's key. Base 64 URL.
 */
export function daemonProof(nonce: string, challenge: string): string {
  return createHmac('sha256', nonce).update(challenge).digest('base64url')
}
