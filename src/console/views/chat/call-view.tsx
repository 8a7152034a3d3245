import { useSignal } from '@preact/signals'
import { formatMs } from '../../../shared/format/metric-format.ts'
import { State } from '../../components/state.tsx'
import { shown, Text } from '../../components/text.tsx'
import { JsonTree, LongText, ResultView } from '../../schema-form/results/main.ts'
import type { Answer, Call } from './exchange.ts'

const VERBS = { tool: '', resource: 'read ', prompt: 'prompt ' }

/** `isOver`: the answer is complete, so a call without a result was not answered. */
export function CallView({ call, isOver }: { call: Call; isOver: boolean }) {
  const isOpen = useSignal(false)
  const { kind, name, answer } = call
  return (
    <details
      class="chat-call"
      open={isOpen.value}
      onToggle={event => {
        isOpen.value = (event.currentTarget as HTMLDetailsElement).open
      }}
    >
      <summary>
        <span class="mono truncate">
          {VERBS[kind]}
          <Text value={name} max={200} /> <span class="muted">{argumentText(call)}</span>
        </span>
        <CallState answer={answer} isOver={isOver} />
      </summary>
      {isOpen.value && <CallDetails call={call} />}
    </details>
  )
}

function CallState({ answer, isOver }: { answer: Answer | undefined; isOver: boolean }) {
  if (!answer) return <State value={isOver ? 'unanswered' : 'running'} />
  return (
    <>
      <State value={answer.error === null ? 'ok' : 'failed'} />
      {answer.seconds !== undefined && <span class="muted">{formatMs(answer.seconds * 1000)}</span>}
    </>
  )
}

/** Arguments on one line. Empty for a resource, whose name is its URI. */
function argumentText({ kind, arguments: args }: Call): string {
  if (kind === 'resource') return ''
  return shown(JSON.stringify(args) ?? '', 200)
}

/** Rendered when the user opens the call, because results can be large. */
function CallDetails({ call: { arguments: args, answer } }: { call: Call }) {
  return (
    <div class="chat-call-details">
      <JsonTree name="arguments" value={args} />
      {answer && answer.error !== null && (
        <p class="sf-error">
          <LongText value={answer.error} max={4000} />
        </p>
      )}
      {answer && answer.result !== null && (answer.error === null || hasMore(answer)) && (
        <ResultView result={answer.result} />
      )}
    </div>
  )
}

/** True if the result of a failed call has more than its text, which is the error. */
function hasMore({ result }: Answer): boolean {
  return typeof result === 'object' && result !== null && 'structuredContent' in result
}
