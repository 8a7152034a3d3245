import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { bound } from '../../components/bound.ts'
import { notifyError } from '../../components/notices.tsx'
import { definitionText } from './definition-text.ts'

interface DefinitionFieldProps {
  text: Signal<string>
  /** Name of the server, if it exists. */
  name?: string
  children?: ComponentChildren
}

/** Text of a definition, typed or from a file. */
export function DefinitionField({ text, name, children }: DefinitionFieldProps) {
  const read = async (files: FileList | null | undefined) => {
    if (files?.[0]) text.value = await definitionText(await files[0].text(), name)
  }
  const onDrop = (event: DragEvent) => {
    if (event.dataTransfer?.files.length === 0) return
    event.preventDefault()
    void read(event.dataTransfer?.files).catch(notifyError)
  }
  return (
    <>
      <label class="field">
        Definition
        <textarea
          class="input mono"
          rows={16}
          spellcheck={false}
          ref={moveToStart}
          onDragOver={event => event.preventDefault()}
          onDrop={onDrop}
          {...bound(text)}
        />
      </label>
      {children}
      <label class="field">
        Or a file, which can also be dropped above
        <input
          type="file"
          accept=".json,.yaml,.yml"
          onChange={event => void read(event.currentTarget.files).catch(notifyError)}
        />
      </label>
    </>
  )
}

/** Moves the caret to the start. It is at the end of a value set by a script, and a focused field scrolls to its caret. */
function moveToStart(field: HTMLTextAreaElement | null): void {
  field?.setSelectionRange(0, 0)
}
