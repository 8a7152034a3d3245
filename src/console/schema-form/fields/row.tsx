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
  /** True for several controls, which are rendered in a fieldset. */
  isGroup: boolean
  description?: string
  hints: readonly string[]
  errors: readonly string[]
  children: ComponentChildren
}

export function isGroup({ kind }: Field): boolean {
  return kind === 'object' || kind === 'list'
}

/** Label, control and messages of a field. */
export function Row(props: RowProps) {
  const { isGroup, place, pointer } = props
  if (pointer === '' || place === 'alternative') return <Content {...props} />
  if (isGroup) return <GroupRow {...props} />
  return place === 'row' ? <LeafRow {...props} /> : <Content {...props} />
}

function GroupRow(props: RowProps) {
  const { place, label, describedBy } = props
  if (place === 'part') {
    return (
      <fieldset class="sf-group sf-part" aria-describedby={describedBy} aria-label={label}>
        <Content {...props} />
      </fieldset>
    )
  }
  return (
    <fieldset class="sf-group" aria-describedby={describedBy} aria-label={label}>
      <legend>
        <Label {...props} /> <ClearButton {...props} />
      </legend>
      <Content {...props} />
    </fieldset>
  )
}

function LeafRow(props: RowProps) {
  return (
    <div class="sf-row">
      <label class="sf-label" for={props.id}>
        <Label {...props} />
      </label>
      <Content {...props} />
    </div>
  )
}

/** The name, because callers use it, then the title if it differs. */
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

/** A group starts with its description. */
function Content(props: RowProps) {
  const { children, id, hints, errors, isGroup } = props
  return (
    <div class={isGroup ? 'sf-content sf-wide' : 'sf-content'}>
      {isGroup && <Description {...props} />}
      <div class="sf-control">
        {children}
        {!isGroup && <ClearButton {...props} />}
      </div>
      {!isGroup && <Description {...props} />}
      <Messages id={`${id}-notes`} hints={hints} errors={errors} />
    </div>
  )
}

function Description({ description, id }: RowProps) {
  if (!description) return null
  return (
    <p class="sf-about" id={`${id}-about`}>
      <LongText value={description} max={400} />
    </p>
  )
}

/** Makes an optional value absent. */
function ClearButton({ place, pointer, isRequired, state, label, onChange }: RowProps) {
  if (place !== 'row' || pointer === '' || isRequired || isBlank(state)) return null
  return <IconButton sign="×" label={`Clear ${label}`} onClick={() => onChange(undefined)} />
}
