import type { Style } from './output.ts'
import { printable } from './table.ts'

/**
 * Stands for the escape character in styles of our own lines until they are written. Text of a server cannot hold it, so it
 * cannot style anything.
 */
const MARK = `\u0001${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`
const OWN_STYLE = new RegExp(`${MARK}(\\[\\d+m)`)

const NAMES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const satisfies (keyof Style)[]

/** The same styles in a form that only `written` turns into escape sequences. */
export function markedStyle(style: Style): Style {
  const entries = NAMES.map(name => {
    // Around a NUL, which no style changes.
    const [open = '', close = ''] = style[name]('\0').split('\0').map(mark)
    return [name, (text: string) => `${open}${text}${close}`] as const
  })
  return Object.fromEntries(entries) as Style
}

/** A text on its way to a terminal: with our own styles, and without anything else that steers it. */
export function written(text: string): string {
  const parts = text.replaceAll('\r\n', '\n').split(OWN_STYLE)
  return parts.map((part, index) => (index % 2 ? `\u001b${part}` : printable(part))).join('')
}

/** A text on its way to a file or a pipe, as it is. */
export function unstyled(text: string): string {
  return text
    .split(OWN_STYLE)
    .filter((_, index) => index % 2 === 0)
    .join('')
}

function mark(sequence: string): string {
  return sequence.replaceAll('\u001b', MARK)
}
