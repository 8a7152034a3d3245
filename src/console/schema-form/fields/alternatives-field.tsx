import { printable } from '../../../shared/format/printable.ts'
import { type Alternative, alternativeOf, choose, withoutChoice } from '../model/alternatives.ts'
import { initialState } from '../model/initial.ts'
import { type Alternatives, Chosen } from '../model/state.ts'
import { useForm } from './context.ts'
import type { WidgetProps } from './widget.ts'

interface OfferedProps extends WidgetProps {
  keyword: Alternatives
  alternatives: Alternative[]
  nesting: number
}

/** A menu of the alternatives, and the fields of the picked one. */
export function AlternativesField(props: OfferedProps) {
  const { keyword, alternatives, state, pointer, label, isRequired, nesting, onChange } = props
  const { form, Field } = useForm()
  const index = alternativeOf({ keyword, alternatives }, state, form.document)
  const pick = (picked: number) => {
    const start = initialState(alternatives[picked]?.schema, form.document)
    onChange(choose({ keyword, alternatives }, picked, state, start, form.document))
  }
  return (
    <div class="sf-alternatives">
      <select
        id={props.id}
        aria-label={`Kind of ${label}`}
        value={String(index)}
        onChange={event => pick(+event.currentTarget.value)}
      >
        {alternatives.map((alternative, position) => (
          <option key={position} value={String(position)}>
            {printable(alternative.label)}
          </option>
        ))}
      </select>
      <Field
        key={index}
        schema={alternatives[index]?.schema}
        state={withoutChoice(state, keyword)}
        {...{ pointer, label, isRequired }}
        place="alternative"
        nesting={nesting + 1}
        onChange={value => onChange(new Chosen(keyword, index, value))}
      />
    </div>
  )
}
