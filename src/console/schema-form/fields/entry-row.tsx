import { useSignal } from '@preact/signals'
import { memberSchemas } from '../check/objects.ts'
import { blankState } from '../model/initial.ts'
import { newEntryName } from '../model/members.ts'
import type { SchemaObject } from '../model/schema-document.ts'
import { asObject, BLANK, type State, withMember, withRenamed } from '../model/state.ts'
import { oneLine } from '../text/text.tsx'
import { RemoveButton } from './buttons.tsx'
import { type FieldProps, useForm } from './context.ts'

interface EntryProps {
  shared: Omit<FieldProps, 'onChange'>
  name: string
  /** The object that has the entry. */
  parent: State
  onChange: (state: State) => void
}

/** An entry of a map, or an unknown member: its name can be changed. */
export function EntryRow({ shared, name, parent, onChange }: EntryProps) {
  const { Field } = useForm()
  return (
    <div class="sf-entry">
      <EntryName {...{ name, parent, onChange }} />
      <Field
        {...shared}
        isRequired
        place="part"
        onChange={value => onChange(withMember(parent, name, value ?? BLANK))}
      />
      <RemoveButton name={name} onClick={() => onChange(withMember(parent, name, undefined))} />
    </div>
  )
}

function EntryName({ name, parent, onChange }: Omit<EntryProps, 'shared'>) {
  const fault = useSignal('')
  const rename = (input: HTMLInputElement) => {
    const to = input.value
    const isTaken = to !== name && Object.hasOwn(asObject(parent) ?? {}, to)
    fault.value = isTaken ? `"${oneLine(to)}" already exists.` : ''
    if (isTaken) input.value = name
    else onChange(withRenamed(parent, name, to))
  }
  return (
    <span class="sf-entry-name">
      <input
        type="text"
        dir="auto"
        aria-label={`Name of entry ${oneLine(name)}`}
        value={name}
        onChange={event => rename(event.currentTarget)}
      />
      {fault.value && (
        <span role="alert" class="sf-hint">
          {fault.value}
        </span>
      )}
    </span>
  )
}

interface AddEntryProps {
  schema: SchemaObject
  state: State
  label: string
  onChange: (state: State) => void
}

export function AddEntry({ schema, state, label, onChange }: AddEntryProps) {
  const { form } = useForm()
  const add = () => {
    const name = newEntryName(state)
    onChange(withMember(state, name, blankState({ allOf: memberSchemas(schema, name) }, form.document)))
  }
  return (
    <button type="button" class="sf-button" aria-label={`Add entry to ${label}`} onClick={add}>
      Add entry
    </button>
  )
}
