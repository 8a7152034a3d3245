import { placeholder } from './placeholder.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

/** What one line and several lines of text have in common. */
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
