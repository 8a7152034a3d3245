import type { Field } from '../model/field.ts'
import type { State } from '../model/state.ts'

/** Attributes that link a control to its label and messages. */
export interface ControlProps {
  /** Id of the control, which its label refers to. */
  id: string
  label: string
  isRequired?: boolean
  isInvalid: boolean
  describedBy?: string
}

/** Properties of all widgets. */
export interface WidgetProps extends ControlProps {
  field: Field
  state: State
  pointer: string
  isRequired: boolean
  onChange: (state: State) => void
}

export function controlAttributes({ id, label, isRequired, isInvalid, describedBy }: ControlProps) {
  return {
    id,
    'aria-label': label,
    'aria-required': isRequired || undefined,
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
  }
}
