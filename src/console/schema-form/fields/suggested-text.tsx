import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { pointerSteps } from '../../../shared/json/json-walk.ts'
import { asObject, toJson } from '../model/state.ts'
import { type Suggest, useForm } from './context.ts'
import { textAttributes } from './text-attributes.ts'
import type { WidgetProps } from './widget.ts'

/** Pause in typing after which the server is asked for suggestions. */
const PAUSE_MS = 150
const MAX_SHOWN = 100

interface SuggestedProps extends WidgetProps {
  suggest: Suggest
}

/** One line of text with the values that the server offers for it. */
export function SuggestedText({ suggest, ...props }: SuggestedProps) {
  const { id, pointer, state } = props
  const attributes = textAttributes(props, typeof state === 'string' ? state : '')
  const { form } = useForm()
  const offered = useSignal<readonly string[]>([])
  const newest = useRef(0)
  const ask = async (text: string) => {
    const attempt = ++newest.current
    await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
    if (attempt !== newest.current) return
    const found = await suggest(
      pointerSteps(pointer)[0]!,
      text,
      toJson(asObject(form.state.peek()) ?? {}) ?? {},
    )
    if (attempt === newest.current) offered.value = found.slice(0, MAX_SHOWN)
  }
  return (
    <>
      <input
        {...attributes}
        type="text"
        list={`${id}-offered`}
        onFocus={event => void ask(event.currentTarget.value)}
        onInput={event => {
          attributes.onInput(event)
          void ask(event.currentTarget.value)
        }}
      />
      <datalist id={`${id}-offered`}>
        {offered.value.map(value => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  )
}
