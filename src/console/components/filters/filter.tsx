import './filter.css'
import { useEffect, useRef } from 'preact/hooks'

interface FilterProps {
  label: string
  placeholder: string
  value: string
  onInput(text: string): void
}

/** Text that rows must contain. `/` moves the focus here. */
export function Filter({ label, placeholder, value, onInput }: FilterProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return
      event.preventDefault()
      input.current!.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
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
