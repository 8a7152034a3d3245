import type { ComponentChildren } from 'preact'
import { numberOf } from '../check/visit.ts'
import { kindOf, plain } from '../model/state.ts'
import { useForm } from './context.ts'
import { SuggestedText } from './suggested-text.tsx'
import { textAttributes } from './text-attributes.ts'
import type { WidgetProps } from './widget.ts'

const INPUT_MODES: ReadonlyMap<unknown, 'email' | 'url'> = new Map([
  ['email', 'email'],
  ['uri', 'url'],
])

/** A single-line input for short text, otherwise a text area that grows with the text. */
export function TextField(props: WidgetProps) {
  const { field, state } = props
  const text = kindOf(state) === 'string' ? (plain(state) as string) : ''
  const attributes = textAttributes(props, text)
  const { format, pattern, maxLength } = field.schema
  const { suggest } = useForm()
  const isShort = format !== undefined || pattern !== undefined || (numberOf(maxLength) ?? 1000) <= 100
  // A single-line input would drop line breaks.
  if (suggest && !/[\r\n]/.test(text)) return <SuggestedText {...props} suggest={suggest} />
  if (!isShort || /[\r\n]/.test(text)) return <textarea {...attributes} rows={1} />
  const input = <input {...attributes} type="text" inputMode={INPUT_MODES.get(format)} />
  return format === 'date-time' ? <WithNow {...props}>{input}</WithNow> : input
}

function WithNow({ label, onChange, children }: WidgetProps & { children: ComponentChildren }) {
  const setNow = () => onChange(new Date().toISOString())
  return (
    <span class="sf-with-button">
      {children}
      <button
        type="button"
        class="sf-button"
        aria-label={`Now for ${label}`}
        title="Set to the current time"
        onClick={setNow}
      >
        Now
      </button>
    </span>
  )
}
