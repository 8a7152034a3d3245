import './copy.css'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { Button } from './button.tsx'

const SHOWN_MS = 2000

const LABELS = { ready: 'Copy', copied: 'Copied', refused: 'Select and copy by hand:' }

interface CopyProps {
  text: string
  what: string
  /** Shown next to the icon. */
  caption?: string
}

/** Button that copies text. Its label shows the outcome. */
export function CopyButton({ text, what, caption }: CopyProps) {
  const state = useSignal<keyof typeof LABELS>('ready')
  useEffect(() => {
    if (state.value === 'ready') return
    const timer = setTimeout(() => {
      state.value = 'ready'
    }, SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state.value])
  const copy = async () => {
    state.value = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'refused' as const,
    )
  }
  const icons = { ready: 'copy', copied: 'check', refused: 'alert' } as const
  const label = `${LABELS[state.value]} ${what}`
  return (
    <>
      <Button kind="quiet" icon={icons[state.value]} label={label} onClick={copy}>
        {caption}
      </Button>
      <span class="hidden" role="status">
        {state.value === 'ready' ? '' : label}
      </span>
    </>
  )
}

/** Text to use elsewhere, such as a command or a URL, with a copy button. */
export function Copyable({ text, what }: { text: string; what: string }) {
  return (
    <div class="copyable">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </div>
  )
}
