/**
 * Replaces control characters, invisible characters, and characters that change the writing direction, so that names and log
 * messages cannot control the terminal or mislead the user.
 */
export function printable(text: string): string {
  return text.replace(MISLEADING_CHARACTERS, '�')
}

/** Escapes, in JSON text, the characters that `printable` replaces. The value stays the same. */
export function printableJson(json: string): string {
  return json.replace(MISLEADING_CHARACTERS, found =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/**
 * Control characters; embeddings, overrides and isolates of direction; U+FEFF; tags (Unicode, "Bidirectional Controls", "Tags").
 */
const CONTROL_CHARACTERS =
  '[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2060-\\u206f\\ufeff\\u{e0000}-\\u{e007f}]'

/** Letters of scripts that use joiners, direction marks or zero-width spaces, and emoji, which joiners combine. */
const JOINING_CHARACTER =
  '(?:(?!\\p{sc=Latin}|\\p{sc=Greek}|\\p{sc=Cyrillic}|\\p{sc=Inherited})[\\p{L}\\p{M}]|\\p{ExtPict}|\\p{EMod}|\\ufe0f)'

/**
 * Joiners, direction marks, zero-width spaces and other invisible characters, unless they follow a character that they can belong
 * to. After Latin letters, they only make two different names look the same. U+20E3 makes a digit an emoji.
 */
const INVISIBLE_CHARACTERS = `\\p{DI}(?<!${JOINING_CHARACTER}\\p{DI})(?!\\u20e3)`

const MISLEADING_CHARACTERS = new RegExp(`${CONTROL_CHARACTERS}|${INVISIBLE_CHARACTERS}`, 'gu')
