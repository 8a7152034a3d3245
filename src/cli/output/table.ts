/**
 * Aligned columns, two spaces apart, header first. With `width` (columns of a terminal) the widest column is truncated with
 * `…` until lines fit. Without it nothing is truncated.
 */
export function formatTable(
  headers: readonly string[],
  rows: readonly (readonly string[])[],
  width?: number,
): string[] {
  const cells = [headers, ...rows].map(row => row.map(onOneLine))
  const widths = headers.map((_, column) => Math.max(...cells.map(row => row[column]?.length ?? 0)))
  if (width !== undefined) shrinkToFit(widths, width)
  return cells.map(row =>
    row
      .map((cell, column) => align(cell, widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

/**
 * Removes control characters, so that names and log texts cannot control the terminal, and characters that change the
 * writing direction or are invisible.
 */
export function printable(text: string): string {
  return text.replace(STEERING, '�')
}

/** Escapes control characters in JSON. The value stays the same. */
export function printableJson(json: string): string {
  return json.replace(STEERING, found =>
    Array.from(
      { length: found.length },
      (_, index) => `\\u${found.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** Control characters; embeddings, overrides and isolates of direction; tags (Unicode, "Bidirectional Controls", "Tags"). */
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

function onOneLine(cell: string): string {
  return printable(cell).replace(/\s*\n\s*/g, ' ')
}

function shrinkToFit(widths: number[], width: number): void {
  const gaps = 2 * (widths.length - 1)
  while (widths.reduce((sum, one) => sum + one, gaps) > width) {
    const widest = widths.indexOf(Math.max(...widths))
    if (widths[widest]! <= 8) return
    widths[widest]!--
  }
}

function align(cell: string, width: number): string {
  return cell.length > width ? `${cell.slice(0, width - 1)}…` : cell.padEnd(width)
}
