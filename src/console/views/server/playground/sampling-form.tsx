import { useSignal } from '@preact/signals'
import { bound } from '../../../components/bound.ts'
import { Button } from '../../../components/button.tsx'
import { isObject, textOf } from '../../../mcp/messages.ts'
import { LongText, Name, ResultView } from '../../../schema-form/results/main.ts'
import type { OpenQuestion } from './call.ts'

/** The server wants an answer from a model. The user writes the answer instead. */
export function SamplingForm({ question: { params, answer, refuse } }: { question: OpenQuestion }) {
  const text = useSignal('')
  const messages = Array.isArray(params.messages) ? params.messages.filter(isObject) : []
  const submit = (event: Event) => {
    event.preventDefault()
    const content = { type: 'text', text: text.value }
    answer({ role: 'assistant', model: 'console', stopReason: 'endTurn', content })
  }
  return (
    <form onSubmit={submit} class="pg-sampling">
      <h3>The server asks a model for an answer</h3>
      {typeof params.systemPrompt === 'string' && (
        <p class="pg-description">
          <span class="muted">System prompt:</span> <LongText value={params.systemPrompt} />
        </p>
      )}
      <ol class="pg-messages">
        {messages.map(({ role, content }, index) => (
          <li key={index}>
            <h4>
              <Name value={textOf(role) ?? 'unknown'} max={40} />
            </h4>
            <ResultView label={`Message ${index + 1}`} result={{ content: [content].flat() }} />
          </li>
        ))}
      </ol>
      <label class="pg-answer">
        Your answer
        <textarea class="input pg-text" rows={3} required dir="auto" {...bound(text)} />
      </label>
      <div class="sf-actions">
        <Button type="submit" kind="primary">
          Answer
        </Button>
        <Button onClick={refuse}>Refuse</Button>
      </div>
    </form>
  )
}
