import type { ComponentChildren } from 'preact'
import { kindOf, plain } from '../model/state.ts'
import { placeholder } from './placeholder.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

const INPUT_MODES: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url' }

/** Text with a short form gets one line, all other text as many as it has. */
export function TextField(props: WidgetProps) {
  const { field, state } = props
  const text = kindOf(state) === 'string' ? (plain(state) as string) : ''
  const attributes = textAttributes(props, text)
  const { format, pattern, maxLength } = field.schema
  const isShort = format !== undefined || pattern !== undefined || Number(maxLength ?? 1000) <= 100
  // An input would drop line breaks.
  if (!isShort || /[\r\n]/.test(text)) return <textarea {...attributes} rows={1} />
  const input = <input {...attributes} type="text" inputMode={INPUT_MODES[String(format)]} />
  return format === 'date-time' ? <WithNow {...props}>{input}</WithNow> : input
}

function textAttributes(props: WidgetProps, text: string) {
  const { isRequired, onChange } = props
  return {
    ...controlAttributes(props),
    value: text,
    placeholder: placeholder(props),
    autocomplete: 'off',
    autocapitalize: 'off' as const,
    spellcheck: false,
    dir: 'auto' as const,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      // An optional text that was cleared is absent.
      onChange(currentTarget.value === '' && !isRequired ? undefined : currentTarget.value),
  }
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
