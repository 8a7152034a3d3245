import { useSignal } from '@preact/signals'
import { itemSchema, tupleOf } from '../check/lists.ts'
import { childPointer } from '../check/visit.ts'
import { blankState } from '../model/initial.ts'
import { shownItems, takesItems } from '../model/members.ts'
import { asList, type State, trimmed, withItem, withMovedItem, withoutItem } from '../model/state.ts'
import { IconButton, RemoveButton, ShowMore } from './buttons.tsx'
import { useForm } from './context.ts'
import type { WidgetProps } from './widget.ts'

const PAGE = 50

/** Items of a list. A tuple always shows its positions. */
export function ListField(props: WidgetProps) {
  const { field, state, label, onChange } = props
  const { form } = useForm()
  const limit = useSignal(PAGE)
  const items = asList(state) ?? []
  const count = shownItems(field.schema, items.length)
  const shown = Math.min(count, limit.value)
  const add = () => onChange([...items, blankState(itemSchema(field.schema, items.length), form.document)])
  return (
    <div class="sf-items">
      {shown > 0 && (
        <ol>
          {Array.from({ length: shown }, (_, index) => (
            <ItemRow key={index} {...props} index={index} />
          ))}
        </ol>
      )}
      <ShowMore left={count - shown} page={PAGE} noun="items" onClick={() => (limit.value += PAGE)} />
      {takesItems(field.schema, count) && (
        <button type="button" class="sf-button" aria-label={`Add item to ${label}`} onClick={add}>
          Add item
        </button>
      )}
    </div>
  )
}

function ItemRow({ field, state, pointer, label, onChange, index }: WidgetProps & { index: number }) {
  const { Field } = useForm()
  const isFixed = index < tupleOf(field.schema).length
  const items = asList(state) ?? []
  const set = (value: State) => {
    const changed = withItem(state, index, value)
    onChange(isFixed ? (trimmed(changed) ?? []) : changed)
  }
  return (
    <li class="sf-item">
      <Field
        schema={itemSchema(field.schema, index) ?? true}
        state={items[index]}
        pointer={childPointer(pointer, index)}
        label={`${label} ${index + 1}`}
        isRequired={!isFixed}
        place={isFixed ? 'row' : 'part'}
        onChange={set}
      />
      {!isFixed && <ItemButtons {...{ state, index, label, onChange }} />}
    </li>
  )
}

interface ButtonsProps {
  state: State
  index: number
  label: string
  onChange: (state: State) => void
}

function ItemButtons({ state, index, label, onChange }: ButtonsProps) {
  const name = `${label} ${index + 1}`
  const isLast = index === (asList(state)?.length ?? 0) - 1
  const move = (to: number) => onChange(withMovedItem(state, index, to))
  return (
    <span class="sf-item-buttons">
      <IconButton sign="↑" label={`Move ${name} up`} isOff={index === 0} onClick={() => move(index - 1)} />
      <IconButton sign="↓" label={`Move ${name} down`} isOff={isLast} onClick={() => move(index + 1)} />
      <RemoveButton name={name} onClick={() => onChange(withoutItem(state, index))} />
    </span>
  )
}
