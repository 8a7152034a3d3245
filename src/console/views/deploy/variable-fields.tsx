import type { Signal } from '@preact/signals'
import type { ServerEnv } from '../../../shared/contract/servers/variables.ts'
import { Text } from '../../components/text.tsx'

interface VariableFieldsProps {
  missing: ServerEnv['missing']
  /** The user's input, by name of the variable. */
  values: Signal<Readonly<Record<string, string>>>
}

/** Fields for required variables that have no value in the environment. */
export function VariableFields({ missing, values }: VariableFieldsProps) {
  return (
    <>
      {missing
        .filter(({ required }) => required)
        .map(({ name, description }) => (
          <label key={name} class="field">
            <span>
              Variable <code>{name}</code>
              {description && (
                <span class="muted">
                  {' '}
                  <Text value={description} max={300} />
                </span>
              )}
            </span>
            <input
              class="input mono"
              required
              autocomplete="off"
              spellcheck={false}
              value={values.value[name] ?? ''}
              onInput={event => {
                values.value = { ...values.value, [name]: event.currentTarget.value }
              }}
            />
          </label>
        ))}
    </>
  )
}
