import { placeholder } from './placeholder.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

/** Attributes of both single-line and multi-line text. */
export function textAttributes(props: WidgetProps, text: string) {
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
