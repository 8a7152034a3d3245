/**
 * Removes control characters, so that names and log messages cannot control the terminal, and characters that change the
 * writing direction or are invisible.
 */
export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, '�')
}

/** Escapes control characters in JSON. The value stays the same. */
export function printableJson(json: string): string {
  return json.replace(CONTROL_CHARACTERS, found =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** Control characters; embeddings, overrides and isolates of direction; tags (Unicode, "Bidirectional Controls", "Tags"). */
const CONTROL_CHARACTERS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu
