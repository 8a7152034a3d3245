/** The two halves of the nonce in the discovery file (0600), as a command asks and a daemon answers. */
export interface Proof {
  challenge: string
  answer: string
}

/**
 * Only who can read the discovery file knows its nonce, so a program that took over the port of a dead daemon cannot pass
 * for it and be sent the owner's key: a command sends the first half, and the daemon proves itself by the second. What
 * the other program learns is of no use, since each daemon has a nonce of its own. No hash: loading `node:crypto` costs
 * a command 5 ms.
 */
export function proofOf(nonce: string): Proof {
  const half = Math.floor(nonce.length / 2)
  return { challenge: nonce.slice(0, half), answer: nonce.slice(half) }
}
