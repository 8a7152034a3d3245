import { useEffect, useId, useRef } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { SHORTCUTS } from './shortcuts.ts'

/** Keys of the console and what they do. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    dialog.current!.showModal()
  }, [])
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>Keyboard shortcuts</h2>
      <dl class="shortcuts">
        {SHORTCUTS.map(({ keys, effect }) => (
          <div key={effect}>
            <dt>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{effect}</dd>
          </div>
        ))}
      </dl>
      <div class="actions">
        <Button onClick={() => dialog.current!.close()}>Close</Button>
      </div>
    </dialog>
  )
}
