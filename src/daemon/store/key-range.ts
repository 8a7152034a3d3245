const LAST_CODE_POINT = 0x10_ffff

/** The first string after all strings with this prefix, in code point order. Undefined when nothing can follow. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, character => character.codePointAt(0)!)
  while (points.at(-1) === LAST_CODE_POINT) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  // Surrogates are not characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1
  return String.fromCodePoint(...points, next)
}
