import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { EMBEDDED_MODEL, VENDOR_MODELS } from '../../../shared/contract/access/vendor-models.ts'
import { shown } from '../../components/text.tsx'
import { setQuery } from '../../router/router.ts'
import type { Models } from './models.ts'

const OTHER = ' other'

/** Choice of a model: one of a vendor with a key, the embedded one, or any other. The choice is part of the URL. */
export function ModelChoice({ model, models: { keys } }: { model: string; models: Models }) {
  const isTyping = useSignal(false)
  const known = keys.items.filter(({ source }) => source !== null).map(({ vendor }) => VENDOR_MODELS[vendor])
  const names = [...new Set([...known, EMBEDDED_MODEL, model])]
  if (isTyping.value)
    return (
      <OtherModel
        onChosen={name => {
          isTyping.value = false
          if (name !== '') setQuery({ model: name })
        }}
      />
    )
  return (
    <select
      class="input"
      aria-label="Model"
      value={model}
      onChange={({ currentTarget: { value } }) => {
        if (value === OTHER) isTyping.value = true
        else setQuery({ model: value })
      }}
    >
      {names.map(name => (
        <option key={name} value={name}>
          {shown(name, 60)}
        </option>
      ))}
      <option value={OTHER}>Other model…</option>
    </select>
  )
}

function OtherModel({ onChosen }: { onChosen(name: string): void }) {
  const isDone = useRef(false)
  // Choosing a model removes the field, whose blur event would choose again.
  const choose = (name: string) => {
    if (isDone.current) return
    isDone.current = true
    onChosen(name)
  }
  return (
    <input
      class="input chat-model"
      aria-label="Model"
      placeholder="openai:llama3.2@http://127.0.0.1:11434/v1"
      title="claude-…, gpt-…, openai:<model>@<base url> or gguf:<file>"
      maxLength={500}
      autocomplete="off"
      spellcheck={false}
      ref={focusFirst}
      onKeyDown={event => {
        if (event.key === 'Escape') choose('')
        if (event.key !== 'Enter') return
        event.preventDefault()
        choose(event.currentTarget.value.trim())
      }}
      onBlur={event => choose(event.currentTarget.value.trim())}
    />
  )
}

function focusFirst(input: HTMLInputElement | null): void {
  input?.focus()
}
