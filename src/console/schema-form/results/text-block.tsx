import { useSignal } from '@preact/signals'
import { printable } from '../../../shared/format/printable.ts'
import { ShowAll, truncate } from '../text/text.tsx'
import { JsonTree } from './json-tree.tsx'

const MAX_SHOWN = 20_000
/** Longer text is not parsed to see whether it is JSON. */
const MAX_PARSED = 2_000_000

/** Text of a result, truncated if it is long, and shown as a tree if it is JSON. */
export function TextBlock({ text }: { text: string }) {
  const json = parsed(text)
  const isTree = useSignal(true)
  if (json === undefined) return <PlainText text={text} />
  return (
    <div>
      <button
        type="button"
        class="sf-link"
        aria-pressed={!isTree.value}
        onClick={() => (isTree.value = !isTree.value)}
      >
        As text
      </button>
      {isTree.value ? <JsonTree value={json} /> : <PlainText text={text} />}
    </div>
  )
}

function PlainText({ text }: { text: string }) {
  const isWhole = useSignal(false)
  const isTruncated = text.length > MAX_SHOWN && !isWhole.value
  const parts = chunks(isTruncated ? truncate(text, MAX_SHOWN) : text)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it. */}
      <pre class="sf-text" dir="auto" tabIndex={0}>
        {parts.map((part, index) => (
          <span key={index}>{printable(part)}</span>
        ))}
      </pre>
      {isTruncated && <ShowAll size={text.length} onClick={() => (isWhole.value = true)} />}
    </>
  )
}

/** Splits text, because the browser lays out only the parts in view. A single line of 5 MB would take minutes. */
function chunks(text: string): string[] {
  const parts: string[] = []
  for (let start = 0; start < text.length; ) {
    const line = text.lastIndexOf('\n', start + MAX_SHOWN) + 1
    const end = line > start ? line : start + MAX_SHOWN
    parts.push(text.slice(start, end))
    start = end
  }
  return parts
}

function parsed(text: string): object | undefined {
  if (text.length > MAX_PARSED || !/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
