/** The two halves of the nonce in the discovery file (0600). */
export interface Proof {
  challenge: string
  answer: string
}

/**
 * Proves to a command that it talks to the daemon, not to a program that took over a dead daemon's port. The command sends the
 * first half of the nonce, and the daemon answers with the second. Only the owner can read the discovery file. Half a nonce is
 * worthless to another program, because each daemon creates a new one. The nonce is not hashed, because loading
 * `node:crypto` costs a command 5 ms.
 */
export function proofOf(nonce: string): Proof {
  const half = Math.floor(nonce.length / 2)
  return { challenge: nonce.slice(0, half), answer: nonce.slice(half) }
}
