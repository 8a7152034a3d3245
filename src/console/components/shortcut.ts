import { useEffect, useRef } from 'preact/hooks'

/** Calls the action when a matching key is pressed, except in a dialog. */
export function useShortcut(matches: (event: KeyboardEvent) => boolean, action: () => void): void {
  const latest = useRef({ matches, action })
  latest.current = { matches, action }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { matches, action } = latest.current
      if (!matches(event) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

/** Matches a character unless the user is typing text. */
export function character(key: string) {
  return (event: KeyboardEvent): boolean =>
    event.key === key && !isTyping(event) && !event.metaKey && !event.ctrlKey && !event.altKey
}

/** True while the user types, also in an editor, which is in a shadow root. */
function isTyping(event: Event): boolean {
  const [target] = event.composedPath()
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
}

/** ⌘ on a Mac, where Ctrl with a letter edits text. */
export const COMMAND_KEY = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl+'

export function withCommandKey(letter: string) {
  return ({ key, metaKey, ctrlKey, shiftKey, altKey }: KeyboardEvent): boolean =>
    key.toLowerCase() === letter && (COMMAND_KEY === '⌘' ? metaKey : ctrlKey) && !shiftKey && !altKey
}
