import { printable } from '../../../shared/format/printable.ts'
import { equals } from '../check/scalars.ts'
import type { Option } from '../model/options.ts'
import { isBlank, plain, type State } from '../model/state.ts'
import { placeholder } from './placeholder.ts'
import { controlAttributes, type WidgetProps } from './widget.ts'

/** One of several fixed values, booleans included. */
export function ChoiceField(props: WidgetProps & { options: readonly Option[] }) {
  const { options, state, isRequired, onChange } = props
  const index = isBlank(state) ? -1 : options.findIndex(({ value }) => equals(value, plain(state)))
  const choose = (picked: string) => onChange(picked === '' ? undefined : (options[+picked]?.value as State))
  return (
    <select
      {...controlAttributes(props)}
      value={index < 0 ? '' : String(index)}
      onChange={event => choose(event.currentTarget.value)}
    >
      {(!isRequired || index < 0) && <option value="">{placeholder(props) || 'choose…'}</option>}
      {options.map(({ label }, position) => (
        <option key={position} value={String(position)}>
          {printable(label)}
        </option>
      ))}
    </select>
  )
}
