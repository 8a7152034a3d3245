/**
 * Short id of a session for log lines: the first characters of its random part (instance/protocol/legacy/session-id.ts), or
 * of an id that a program created. Returns a label unchanged.
 */
export function sessionLabel(id: string): string {
  return (id.split('.')[1] || id).slice(0, 8)
}
