import { useSignal } from '@preact/signals'
import { parseJson, printJson } from '../model/json-text.ts'
import { type JsonEditorProps, useForm } from './context.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

/** JSON text of a part that no other widget can show. */
export function RawField({ state, onChange, ...control }: Omit<WidgetProps, 'field' | 'pointer'>) {
  const { JsonEditor } = useForm()
  const typed = useSignal(printJson(state))
  // Whitespace does not change the value. The text stays as typed until the value changes.
  const isSame = printJson(parseJson(typed.value)) === printJson(state)
  const onInput = (text: string) => {
    typed.value = text
    onChange(parseJson(text))
  }
  const { id, label, isInvalid, describedBy } = control
  const text = isSame ? typed.value : printJson(state)
  return <JsonEditor {...{ id, label, isInvalid, describedBy, text, onInput }} />
}

/** The editor for JSON text, unless the page replaces it with a code editor. */
export function JsonTextArea({ text, onInput, ...control }: JsonEditorProps) {
  return (
    <textarea
      {...controlAttributes(control)}
      class="sf-json"
      rows={Math.min(24, Math.max(2, text.split('\n', 25).length))}
      value={text}
      placeholder="JSON"
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      onInput={event => onInput(event.currentTarget.value)}
    />
  )
}
