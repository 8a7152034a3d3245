import type { Signal } from '@preact/signals'
import type { ServerEnv } from '../../../shared/contract/servers/variables.ts'
import type { Environment } from '../../../shared/contract/states.ts'
import { Text } from '../../components/text.tsx'

interface VariableFieldsProps {
  missing: ServerEnv['missing']
  environment: Environment
  /** The user's input, by name of the variable. */
  values: Signal<Readonly<Record<string, string>>>
}

/** Fields for required variables that have no value in the environment. */
export function VariableFields({ missing, environment, values }: VariableFieldsProps) {
  const needed = missing.filter(({ required }) => required)
  if (needed.length === 0) return null
  return (
    <>
      <p>
        The server needs {needed.length === 1 ? 'this variable, which has' : 'these variables, which have'} no
        value in {environment} yet. What you enter is stored there.
      </p>
      {needed.map(({ name, description }) => (
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
