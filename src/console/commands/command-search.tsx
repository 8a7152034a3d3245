import './commands.css'
import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { counted } from '../../shared/counted.ts'
import { shown } from '../components/text.tsx'
import { type Command, findCommands } from './commands.ts'

const MAX_SHOWN = 50

interface CommandSearchProps {
  commands: readonly Command[]
  /** Also called after a command has run. */
  onClose(): void
}

/** A field that filters the commands. The focus stays in it, and the arrow keys select a command. */
export function CommandSearch({ commands, onClose }: CommandSearchProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const query = useSignal('')
  const selected = useSignal(0)
  const found = findCommands(commands, query.value)
  const options = found.slice(0, MAX_SHOWN)
  const active = Math.min(selected.value, options.length - 1)
  useLayoutEffect(() => {
    dialog.current!.showModal()
  }, [])
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, query.value])
  const run = (command: Command | undefined) => {
    if (!command) return
    // The focus returns first, so that the command can move it.
    dialog.current!.close()
    command.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, active, options.length)
    if (next !== undefined) selected.value = next
    else if (event.key === 'Enter') run(options[active])
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog.
    <dialog
      ref={dialog}
      class="dialog commands"
      aria-label="Commands"
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && dialog.current!.close()}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={active >= 0 ? `${id}-${active}` : undefined}
        aria-autocomplete="list"
        placeholder="Go to a server or view, or run an action"
        maxLength={200}
        autocomplete="off"
        spellcheck={false}
        onKeyDown={onKey}
        onInput={event => {
          query.value = event.currentTarget.value
          selected.value = 0
        }}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Commands">
        {options.map((command, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus and names the active option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles keys.
          <div
            key={`${command.kind} ${command.title}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onClick={() => run(command)}
          >
            <bdi class="wrap">{shown(command.title, 200)}</bdi>
            <span class="muted">{command.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" class={options.length > 0 ? 'hidden' : 'muted'}>
        {options.length > 0 ? counted(found.length, 'command') : 'No command matches.'}
      </p>
    </dialog>
  )
}

/** Index of the option that a key moves to. Wraps around at both ends of the list. */
function nextIndex(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowDown') return (index + 1) % Math.max(count, 1)
  if (key === 'ArrowUp') return (index - 1 + count) % Math.max(count, 1)
  return undefined
}
