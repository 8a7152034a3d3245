import './filter.css'
import { useRef } from 'preact/hooks'
import { character, useShortcut } from '../shortcut.ts'

interface FilterProps {
  label: string
  placeholder: string
  value: string
  onInput(text: string): void
}

/** Text that rows must contain. `/` moves the focus here. */
export function Filter({ label, placeholder, value, onInput }: FilterProps) {
  const input = useRef<HTMLInputElement>(null)
  useShortcut(character('/'), () => input.current!.focus())
  return (
    <input
      ref={input}
      class="input filter"
      type="search"
      aria-label={label}
      placeholder={`${placeholder}  /`}
      maxLength={200}
      value={value}
      onInput={event => onInput(event.currentTarget.value)}
    />
  )
}
