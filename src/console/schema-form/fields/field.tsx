import { useComputed } from '@preact/signals'
import { useId } from 'preact/hooks'
import { describeField, fits } from '../model/field.ts'
import { notesInside } from '../model/hints.ts'
import { isBlank } from '../model/state.ts'
import { oneLine } from '../text/text.tsx'
import { type FieldProps, useForm } from './context.ts'
import { Control } from './control.tsx'
import { RawField } from './raw-field.tsx'
import { isGroup, Row } from './row.tsx'

/** A recursive schema can nest alternatives without end. */
const MAX_NESTING = 8

/** A value of the form: label, control, description, hints and errors from the server. */
export function Field(props: FieldProps) {
  const { schema, state, pointer, isRequired = false, place = 'row', nesting = 0 } = props
  const { form } = useForm()
  const id = useId()
  const field = describeField(schema, state, form.document)
  const isRaw = field.kind === 'raw' || nesting > MAX_NESTING || !fits(field, state)
  const hints = useHints(pointer, isRaw)
  const errors = form.serverErrors.value.placed.get(pointer) ?? []
  // The picked alternative has the same pointer and shows the messages.
  const notes = field.kind === 'alternatives' && !isRaw ? { hints: [], errors: [] } : { hints, errors }
  const hasNotes = notes.hints.length + notes.errors.length > 0
  const description = place === 'part' ? undefined : field.description
  const onChange: FieldProps['onChange'] = value => {
    form.forgetError(pointer)
    props.onChange(value)
  }
  const widget = {
    ...{ field, state, pointer, isRequired, onChange, id, nesting },
    label: oneLine(props.label),
    isInvalid: hasNotes,
    describedBy:
      [description && `${id}-about`, hasNotes && `${id}-notes`].filter(Boolean).join(' ') || undefined,
  }
  return (
    <Row
      {...widget}
      {...notes}
      place={place}
      description={description}
      isGroup={isGroup(field) && !isRaw && !isBlank(state)}
    >
      {isRaw ? <RawField {...widget} /> : <Control {...widget} />}
    </Row>
  )
}

/** Hints for the field, and for its parts if they have no rows. */
function useHints(pointer: string, isRaw: boolean): readonly string[] {
  const { form } = useForm()
  // A computed text, so that changed hints for other fields do not re-render this one.
  const text = useComputed(() => {
    const notes = form.hints.value
    return JSON.stringify(isRaw ? notesInside(notes, pointer) : (notes.get(pointer) ?? []))
  })
  return JSON.parse(text.value)
}
