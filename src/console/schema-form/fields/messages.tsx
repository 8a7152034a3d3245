import { LongText } from '../text/text.tsx'

interface MessagesProps {
  id: string
  hints: readonly string[]
  /** Errors from the server. They come first, because the server decides. */
  errors: readonly string[]
}

export function Messages({ id, hints, errors }: MessagesProps) {
  if (hints.length + errors.length === 0) return null
  const otherHints = hints.filter(hint => !errors.some(error => error.includes(hint)))
  return (
    <div id={id} class="sf-notes">
      {[...new Set(errors)].map(text => (
        <p key={text} class="sf-error" role="alert">
          <LongText value={text} />
        </p>
      ))}
      {[...new Set(otherHints)].map(text => (
        <p key={text} class="sf-hint">
          <LongText value={text} />
        </p>
      ))}
    </div>
  )
}
