import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { query, setQuery } from '../../router/router.ts'
import { Filter } from './filter.tsx'

const TYPING_MS = 250

interface QueryFilterProps {
  /** Query parameter. */
  name: string
  label: string
  placeholder: string
}

/** A filter that is part of the URL. It applies when the user stops typing. */
export function QueryFilter({ name, ...rest }: QueryFilterProps) {
  const applied = query.value.get(name) ?? ''
  const text = useSignal(applied)
  const timer = useRef(0)
  // The last value that came from the URL or was written to it. Effects run late and must not overwrite newer input.
  const known = useRef(applied)
  useEffect(() => {
    if (applied === known.current) return
    clearTimeout(timer.current)
    known.current = text.value = applied
  }, [applied])
  // The parameter must not be added to the URL of another page.
  useEffect(() => () => clearTimeout(timer.current), [])
  const apply = (value: string) => {
    known.current = value
    setQuery({ [name]: value })
  }
  const onInput = (value: string) => {
    text.value = value
    clearTimeout(timer.current)
    timer.current = window.setTimeout(apply, TYPING_MS, value)
  }
  return <Filter {...rest} value={text.value} onInput={onInput} />
}

interface QueryChoiceProps {
  name: string
  label: string
  /** Value and text of each choice. The empty value is the default. */
  choices: readonly (readonly [value: string, text: string])[]
}

/** A choice that is part of the URL. */
export function QueryChoice({ name, label, choices }: QueryChoiceProps) {
  return (
    <select
      class="input"
      aria-label={label}
      value={query.value.get(name) ?? ''}
      onChange={event => setQuery({ [name]: event.currentTarget.value })}
    >
      {choices.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
}
