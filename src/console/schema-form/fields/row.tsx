import type { ComponentChildren } from 'preact'
import type { Field } from '../model/field.ts'
import { isBlank } from '../model/state.ts'
import { LongText, Name } from '../text/text.tsx'
import { IconButton } from './buttons.tsx'
import type { FieldProps } from './context.ts'
import { Messages } from './messages.tsx'
import type { WidgetProps } from './widget.ts'

interface RowProps extends WidgetProps {
  place: FieldProps['place']
  /** Several controls, in a fieldset. */
  isGroup: boolean
  description?: string
  hints: readonly string[]
  errors: readonly string[]
  children: ComponentChildren
}

export function isGroup({ kind }: Field): boolean {
  return kind === 'object' || kind === 'list' || kind === 'alternatives'
}

/** Label, control and messages of a field. */
export function Row(props: RowProps) {
  const { isGroup, place, pointer, label, describedBy } = props
  if (pointer === '') return <RowContent {...props} />
  if (!isGroup) return place === 'row' ? <LeafRow {...props} /> : <RowContent {...props} />
  if (place === 'alternative') return <RowContent {...props} />
  return (
    <fieldset class={`sf-group sf-${place}`} aria-describedby={describedBy} aria-label={label}>
      {place === 'row' && (
        <legend>
          <Label {...props} />
        </legend>
      )}
      <RowContent {...props} />
    </fieldset>
  )
}

function LeafRow(props: RowProps) {
  return (
    <div class="sf-row">
      <label class="sf-label" for={props.id}>
        <Label {...props} />
      </label>
      <RowContent {...props} />
    </div>
  )
}

/** The name, because callers write it, then the title if it says something else. */
function Label({ label, field, isRequired }: RowProps) {
  return (
    <>
      <span class="sf-name">
        <Name value={label} />
      </span>
      {isRequired && (
        <span class="sf-required" aria-hidden="true">
          *
        </span>
      )}
      {field.title && field.title !== label && (
        <span class="sf-title">
          <Name value={field.title} />
        </span>
      )}
    </>
  )
}

function RowContent(props: RowProps) {
  const { children, id, description, hints, errors } = props
  return (
    <div class="sf-content">
      <div class="sf-control">
        {children}
        <ClearButton {...props} />
      </div>
      {description && (
        <p class="sf-about" id={`${id}-about`}>
          <LongText value={description} max={400} />
        </p>
      )}
      <Messages id={`${id}-notes`} hints={hints} errors={errors} />
    </div>
  )
}

/** Makes an optional value absent. */
function ClearButton({ place, pointer, isRequired, state, label, onChange }: RowProps) {
  if (place !== 'row' || pointer === '' || isRequired || isBlank(state)) return null
  return <IconButton sign="×" label={`Clear ${label}`} onClick={() => onChange(undefined)} />
}
