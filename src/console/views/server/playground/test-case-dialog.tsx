import { useSignal } from '@preact/signals'
import { bound } from '../../../components/bound.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { notify } from '../../../components/notices.tsx'
import { shown } from '../../../components/text.tsx'
import { type CallInput, testCaseFor } from './call-text.ts'

interface TestCaseProps {
  call: CallInput
  /** Title or name of the tool, resource or prompt. */
  name: string
  onClose(): void
}

/** Makes a call a case of a test suite. Suites are files of the project, so the case is copied into one. */
export function TestCaseDialog({ call, name, onClose }: TestCaseProps) {
  const message = useSignal('')
  const text = testCaseFor(call, message.value)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    notify('Copied the test case. Paste it below “cases:” of a test suite.')
  }
  return (
    <Dialog title={`Test case for ${shown(name, 100)}`} confirm="Copy" onConfirm={copy} onClose={onClose}>
      <label class="field">
        What would a user ask, so that a model makes this call?
        <textarea class="input pg-text" rows={2} required dir="auto" {...bound(message)} />
      </label>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls, so the keyboard must reach it. */}
      <pre class="sf-text" tabIndex={0}>
        {text}
      </pre>
      <p class="muted">
        Paste it below <code>cases:</code> of a suite, and run <code>mcp test --suite tests.yaml</code>.
      </p>
    </Dialog>
  )
}
