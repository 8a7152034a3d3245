/** True if a result equals the recorded answer. Undefined if the recorded answer is incomplete. */
export function sameAnswer(recorded: unknown, result: unknown): boolean | undefined {
  if (typeof recorded !== 'object' || recorded === null) return undefined
  return canonical((recorded as { result?: unknown }).result ?? null) === canonical(result)
}

/** JSON with sorted members and without metadata, which differs with every answer. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (name, member) => {
    if (name === '_meta') return undefined
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
