import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { printable } from '../../../shared/format/printable.ts'
import { isDeeper } from '../../../shared/json/json-walk.ts'
import { equalityKey } from '../../../shared/json/unique-items.ts'
import { ShowAll, truncate } from '../text/text.tsx'
import { JsonTree } from './json-tree.tsx'

const MAX_SHOWN = 20_000
/** Longer text is not parsed to see whether it is JSON. */
const MAX_PARSED = 2_000_000

/** Deeper JSON is not compared, because recursive functions could overflow the stack. */
const MAX_DEPTH = 200

interface TextProps {
  text: string
  /** Structured content of the result, which is shown above the text. */
  structured?: unknown
}

/**
 * Text of a result, truncated if it is long. JSON is shown as a tree, or not at all if the structured content is the same, until
 * the user asks for the text.
 */
export function TextBlock({ text, structured }: TextProps) {
  const json = useMemo(() => parsed(text), [text])
  const isSame = useMemo(() => json !== undefined && equals(json, structured), [json, structured])
  const isText = useSignal(false)
  if (json === undefined) return <PlainText text={text} />
  return (
    <div>
      {isText.value ? <PlainText text={text} /> : !isSame && <JsonTree value={json} />}
      <button type="button" class="sf-link" onClick={() => (isText.value = !isText.value)}>
        {isText.value ? (isSame ? 'Hide the text' : 'Show as tree') : 'Show as text'}
      </button>
    </div>
  )
}

function equals(json: object, structured: unknown): boolean {
  if (structured === undefined || isDeeper(json, MAX_DEPTH) || isDeeper(structured, MAX_DEPTH)) return false
  return equalityKey(json) === equalityKey(structured)
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
