import { useSignal } from '@preact/signals'
import { printable } from '../../../shared/format/printable.ts'

interface Shown {
  value: string
  /** Longer text is truncated. */
  max?: number
}

/** A server's text on one line: characters that control its direction or are invisible are replaced. */
export function Name({ value, max = 120 }: Shown) {
  return <bdi title={value.length > max ? 'The name is truncated' : undefined}>{oneLine(value, max)}</bdi>
}

/** A server's text of any length, truncated until the reader asks for the rest. */
export function LongText({ value, max = 600 }: Shown) {
  const isWhole = useSignal(false)
  const isTruncated = value.length > max && !isWhole.value
  return (
    <>
      <bdi>{printable(isTruncated ? truncate(value, max) : value)}</bdi>
      {isTruncated && <ShowAll size={value.length} onClick={() => (isWhole.value = true)} />}
    </>
  )
}

export function ShowAll({ size, onClick }: { size: number; onClick: () => void }) {
  return (
    <button type="button" class="sf-link" onClick={onClick}>
      Show all {formatCount(size)} characters
    </button>
  )
}

/** Formats a name for a label or an attribute. */
export function oneLine(text: string, max = 120): string {
  return printable(truncate(text, max))
}

/** Truncates a text without cutting a character in half. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  const end = /[\uD800-\uDBFF]/.test(text[max - 1]!) ? max - 1 : max
  return `${text.slice(0, end)}…`
}

export function formatCount(count: number): string {
  return count.toLocaleString('en')
}
