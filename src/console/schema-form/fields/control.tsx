import { initialState } from '../model/initial.ts'
import { isBlank } from '../model/state.ts'
import { AlternativesField } from './alternatives-field.tsx'
import { ChoiceField } from './choice-field.tsx'
import { useForm } from './context.ts'
import { FileField } from './file-field.tsx'
import { ListField } from './list-field.tsx'
import { NumberField } from './number-field.tsx'
import { ObjectField } from './object-field.tsx'
import { TextField } from './text-field.tsx'
import type { WidgetProps } from './widget.ts'

/** The widget of a field. */
export function Control(props: WidgetProps & { nesting: number }) {
  const { field } = props
  switch (field.kind) {
    case 'choice':
      return <ChoiceField {...props} options={field.options} />
    case 'alternatives':
      return <AlternativesField {...props} keyword={field.keyword} alternatives={field.alternatives} />
    case 'object':
    case 'list':
      return <PartsField {...props} />
    case 'number':
      return <NumberField {...props} />
    case 'file':
      return <FileField {...props} />
    case 'text':
      return <TextField {...props} />
    default:
      return <p class="sf-about">The schema allows no value here.</p>
  }
}

/** An absent object or list is not rendered until the user adds it, so that recursive schemas terminate. */
function PartsField(props: WidgetProps) {
  const { field, state, pointer, label, onChange } = props
  const { form } = useForm()
  const isList = field.kind === 'list'
  if (!isBlank(state) || pointer === '') return isList ? <ListField {...props} /> : <ObjectField {...props} />
  const add = () => onChange(initialState(field.schema, form.document) ?? (isList ? [] : {}))
  return (
    <button
      id={props.id}
      type="button"
      class="sf-button"
      aria-label={`Add ${label}`}
      aria-describedby={props.describedBy}
      onClick={add}
    >
      Add
    </button>
  )
}
