import { printable } from '../../shared/format/printable.ts'

type Paint = (text: string) => string
export type Style = Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', Paint>

/** Replaces the escape character in our own styles until they are written. Random, so that server text cannot contain it. */
const MARK = `\u0001${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`
const OWN_STYLE = new RegExp(`${MARK}(\\[\\d+m)`)

const NAMES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const satisfies (keyof Style)[]

/** Styles whose escape sequences only take effect in `toTerminalText`. */
export function markStyle(style: Style): Style {
  const entries = NAMES.map(name => {
    // Split around a NUL, which no style changes.
    const [open = '', close = ''] = style[name]('\0').split('\0').map(mark)
    return [name, (text: string) => `${open}${text}${close}`] as const
  })
  return Object.fromEntries(entries) as Style
}

/** Text for a terminal: with our own styles and without other control characters. */
export function toTerminalText(text: string): string {
  const parts = text.replaceAll('\r\n', '\n').split(OWN_STYLE)
  return parts.map((part, index) => (index % 2 ? `\u001b${part}` : printable(part))).join('')
}

/** Text for a file or a pipe: unchanged except for styles. */
export function withoutStyle(text: string): string {
  return text
    .split(OWN_STYLE)
    .filter((_, index) => index % 2 === 0)
    .join('')
}

function mark(sequence: string): string {
  return sequence.replaceAll('\u001b', MARK)
}
