/**
 * What log lines show of a session, of its whole id or of the label itself: the first characters of the random part, which tell it
 * from others (instance/protocol/session-id.ts); of an id that a program made, its own first ones.
 */
export function sessionLabel(id: string): string {
  return (id.split('.')[1] || id).slice(0, 8)
}
