/**
 * Aligned columns, two spaces apart, header first. With `width` (a terminal's columns) the widest column is cut with
 * `…` until a line fits; without it nothing is ever cut, so that pipes get everything.
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

/** Names and log texts come from elsewhere: without control characters they cannot steer the terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '�')
}

/** What is left of a text on its way to a terminal: the styles of our own lines, and nothing else that steers it. */
export function printableStyled(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(OWN_STYLES)
    .map((part, index) => (index % 2 ? part : printable(part)))
    .join('')
}

/** Bold, dim, the four colours, and their ends. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const OWN_STYLES = /(\x1b\[(?:1|2|22|31|32|33|36|39)m)/

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
