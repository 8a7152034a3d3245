import { printable } from '../../shared/format/printable.ts'

/** Longer text would make the page slow. */
const MAX_LENGTH = 2000

/**
 * Untrusted text in its own writing direction. Control characters and direction overrides
 * are replaced, and very long text is truncated.
 */
export function Text({ value, max = MAX_LENGTH }: { value: string; max?: number }) {
  return <bdi>{shown(value, max)}</bdi>
}

export function shown(value: string, max = MAX_LENGTH): string {
  const text = printable(value.slice(0, max))
  return value.length > max ? `${text}… (${value.length} characters)` : text
}
