import './notices.css'
import { signal } from '@preact/signals'
import { Button } from './button.tsx'
import { ErrorText } from './error-text.tsx'
import { Icon } from './icon.tsx'
import { Text } from './text.tsx'

interface Notice {
  id: number
  text?: string
  error?: Error
}

const SHOWN_MS = 6000
const MAX_NOTICES = 4

const notices = signal<readonly Notice[]>([])
let lastId = 0

/** Shows a message for a few seconds. */
export function notify(text: string): void {
  const id = add({ text })
  setTimeout(() => dismiss(id), SHOWN_MS)
}

/** Shows the error of a failed action. The notice stays until the user closes it. */
export function notifyError(error: Error): void {
  add({ error })
}

function add(notice: Omit<Notice, 'id'>): number {
  const id = ++lastId
  notices.value = [...notices.peek(), { ...notice, id }].slice(-MAX_NOTICES)
  return id
}

function dismiss(id: number): void {
  notices.value = notices.peek().filter(notice => notice.id !== id)
}

/** The region must exist before its first notice, so that screen readers announce it. */
export function Notices() {
  return (
    <section class="notices" aria-label="Notifications" aria-live="polite">
      {notices.value.map(({ id, text, error }) => (
        <div key={id} class={error ? 'notice failed' : 'notice'}>
          <Icon name={error ? 'alert' : 'check'} />
          <div>{error ? <ErrorText error={error} /> : <Text value={text!} />}</div>
          <Button kind="quiet" icon="close" label="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </section>
  )
}
