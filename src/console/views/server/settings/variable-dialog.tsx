import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { bound } from '../../../components/bound.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { notify } from '../../../components/notices.tsx'
import { changeVariables } from './variables.ts'

/** Initial values of the fields. */
export interface Edited {
  name: string
  value: string
  secret: boolean
  isNew: boolean
}

interface VariableDialogProps {
  server: string
  environment: string
  variable: Edited
  onClose(): void
}

export function VariableDialog({ server, environment, variable, onClose }: VariableDialogProps) {
  const name = useSignal(variable.name)
  const value = useSignal(variable.value)
  const isSecret = useSignal(variable.secret)
  const id = useId()
  const save = async () => {
    // Without `secret`, the API decides.
    const secret = isSecret.value || undefined
    await changeVariables(server, environment, { [name.value]: { value: value.value, secret } })
    notify(`Stored ${name.value} for ${environment}. The next release gets it.`)
  }
  // A secret stays a secret until it is removed.
  const isFixed = !variable.isNew && variable.secret
  return (
    <Dialog
      title={
        variable.isNew ? `Set a variable in ${environment}` : `Change ${variable.name} in ${environment}`
      }
      confirm="Save"
      onConfirm={save}
      onClose={onClose}
    >
      {variable.isNew && (
        <label class="field">
          Name
          <input
            class="input mono"
            required
            pattern="[A-Za-z_][A-Za-z0-9_]*"
            title="Letters, digits and _, not starting with a digit"
            autocomplete="off"
            spellcheck={false}
            {...bound(name)}
          />
        </label>
      )}
      <label class="field">
        Value
        <textarea
          class="input mono"
          rows={3}
          autocomplete="off"
          spellcheck={false}
          aria-describedby={isFixed ? id : undefined}
          {...bound(value)}
        />
      </label>
      {isFixed ? (
        <p class="muted" id={id}>
          This is a secret. Its current value is never shown.
        </p>
      ) : (
        <label class="check">
          <input
            type="checkbox"
            checked={isSecret.value}
            onChange={event => {
              isSecret.value = event.currentTarget.checked
            }}
          />
          Secret: never show the value again
        </label>
      )}
    </Dialog>
  )
}
