import { useSignal } from '@preact/signals'
import { childPointer } from '../check/visit.ts'
import { type Member, membersOf, takesEntries } from '../model/members.ts'
import { memberOf, type State, withMember } from '../model/state.ts'
import { ShowMore } from './buttons.tsx'
import { useForm } from './context.ts'
import { AddEntry, EntryRow } from './entry-row.tsx'
import type { WidgetProps } from './widget.ts'

/** Members that are rendered at first, and with each request for more. */
const PAGE = 50

/** Members of an object, entries of a map included. */
export function ObjectField({ field, state, pointer, label, onChange }: WidgetProps) {
  const limit = useSignal(PAGE)
  const all = membersOf(field.schema, state)
  const members = all.length > limit.value ? all.toSorted(importantFirst(state)).slice(0, limit.value) : all
  return (
    <div class="sf-members">
      {members.map((member, index) => (
        <MemberRow
          key={member.isDeclared ? `.${member.name}` : index}
          {...{ member, state, pointer, onChange }}
        />
      ))}
      <ShowMore
        left={all.length - members.length}
        page={PAGE}
        noun="fields"
        onClick={() => (limit.value += PAGE)}
      />
      {takesEntries(field.schema, pointer) && (
        <AddEntry {...{ schema: field.schema, state, label, onChange }} />
      )}
    </div>
  )
}

/** Required and set members must not be hidden behind others. */
function importantFirst(state: State) {
  const rank = ({ name, isRequired }: Member) => (isRequired || memberOf(state, name) !== undefined ? 0 : 1)
  return (a: Member, b: Member) => rank(a) - rank(b)
}

interface MemberProps {
  member: Member
  state: State
  pointer: string
  onChange: (state: State) => void
}

function MemberRow({ member, state, pointer, onChange }: MemberProps) {
  const { Field } = useForm()
  const { name, schema, isRequired } = member
  const shared = { schema, state: memberOf(state, name), pointer: childPointer(pointer, name), label: name }
  if (!member.isDeclared) return <EntryRow {...{ shared, name, parent: state, onChange }} />
  return (
    <Field {...shared} isRequired={isRequired} onChange={value => onChange(withMember(state, name, value))} />
  )
}
