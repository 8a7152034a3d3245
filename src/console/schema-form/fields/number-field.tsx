import { useSignal } from '@preact/signals'
import { numberText, parseNumber, printJson } from '../model/json-text.ts'
import { placeholder } from './placeholder.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

/** A text input, because number inputs hide invalid text, drop digits and change on scrolling. */
export function NumberField(props: WidgetProps) {
  const { state, field, onChange } = props
  const typed = useSignal(numberText(state))
  // `1.0` and `1` are the same value. What was typed stays until the value changes.
  const isSame = printJson(parseNumber(typed.value)) === printJson(state)
  const onInput = (text: string) => {
    typed.value = text
    onChange(parseNumber(text))
  }
  return (
    <input
      {...controlAttributes(props)}
      type="text"
      class="sf-number"
      inputMode={field.schema.type === 'integer' ? 'numeric' : 'decimal'}
      autocomplete="off"
      value={isSame ? typed.value : numberText(state)}
      placeholder={placeholder(props)}
      onInput={event => onInput(event.currentTarget.value)}
    />
  )
}
