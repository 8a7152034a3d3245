import './call.css'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatBytes, formatMs } from '../../../../shared/format/metric-format.ts'
import { State, Tag } from '../../../components/state.tsx'
import { Time } from '../../../components/time.tsx'
import { isObject } from '../../../mcp/messages.ts'
import type { Json } from '../../../schema-form/main.ts'
import { JsonTree, LongText, Name } from '../../../schema-form/results/main.ts'
import { appUri } from './apps/app-tool.ts'
import { AppView } from './apps/app-view.tsx'
import type { Call, LogMessage, Outcome, Progress } from './call.ts'
import { CallActions } from './call-actions.tsx'
import { CallResult } from './call-result.tsx'
import type { Place } from './place.ts'
import type { Playground } from './playground.ts'
import { QuestionForm } from './question-form.tsx'

interface CallProps {
  call: Call
  playground: Playground
  place: Place
}

/** A call as it happens: progress, messages, questions and result. */
export function CallPanel({ call, playground, place }: CallProps) {
  const panel = useRef<HTMLElement>(null)
  const isRaw = useSignal(false)
  const outcome = call.outcome.value
  const isRunning = outcome.status === 'running'
  const question = call.questions.value[0]
  // Selecting an earlier call does not scroll the page.
  const isLive = useRef(isRunning)
  useEffect(() => {
    if (isLive.current) panel.current!.scrollIntoView({ block: 'nearest' })
  }, [isRunning, question])
  return (
    <section ref={panel} class="pg-card" aria-labelledby="pg-call" aria-busy={isRunning}>
      <div class="pg-line">
        <h2 id="pg-call">Result</h2>
        <span role="status">
          <OutcomeState outcome={outcome} />
        </span>
        {call.served !== playground.served.value && <EarlierRelease served={call.served} />}
        {outcome.status === 'answered' && <span class="muted">{formatBytes(outcome.size)}</span>}
        <span class="muted">
          <Time at={new Date(call.startedAt).toISOString()} />
        </span>
        {!isRunning && (
          <CallActions
            call={call}
            place={place}
            isRaw={isRaw.value}
            onToggleRaw={() => {
              isRaw.value = !isRaw.value
            }}
            onReuse={reuse(call, playground)}
          />
        )}
      </div>
      {isRunning && <ProgressBar progress={call.progress.value} />}
      {question && <QuestionForm key={question.id} question={question} />}
      <Logs logs={call.logs.value} />
      {appUri(call.entry) !== undefined && <AppView call={call} playground={playground} place={place} />}
      {isRaw.value && outcome.status === 'answered' ? (
        <JsonTree value={outcome.result} />
      ) : (
        <CallResult call={call} playground={playground} place={place} />
      )}
    </section>
  )
}

/** Puts the arguments of a call into the form. Undefined if there is no form or the form already has them. */
function reuse({ entry, args }: Call, playground: Playground): (() => void) | undefined {
  const form = playground.formOf(entry)
  if (!form || JSON.stringify(form.state.value) === JSON.stringify(args)) return undefined
  return () => form.load(args as Json)
}

/** The state of a call in one word, with its duration. */
export function OutcomeState({ outcome }: { outcome: Outcome }) {
  const isError = outcome.status === 'answered' && outcome.result.isError === true
  return (
    <span class="pg-outcome">
      <State value={isError ? 'tool error' : outcome.status} />
      {outcome.status !== 'running' && <span class="muted">{formatMs(outcome.durationMs)}</span>}
    </span>
  )
}

/** Release or build that the call reached. */
function EarlierRelease({ served }: { served: string | undefined }) {
  if (served === undefined) return null
  return <Tag tone="warn">{/^v\d/.test(served) ? `from ${served}` : 'from an earlier build'}</Tag>
}

function ProgressBar({ progress }: { progress: Progress | undefined }) {
  if (!progress) return null
  const { progress: done, total, message } = progress
  return (
    <div class="pg-progress">
      <progress aria-label="Progress" value={total === undefined ? undefined : done} max={total} />
      <span class="muted">
        {total === undefined ? done : `${done} of ${total}`}{' '}
        {message && <LongText value={message} max={200} />}
      </span>
    </div>
  )
}

function Logs({ logs }: { logs: readonly LogMessage[] }) {
  if (logs.length === 0) return null
  return (
    <details class="pg-logs">
      <summary>
        {logs.length} log {logs.length === 1 ? 'message' : 'messages'}
      </summary>
      <ol>
        {logs.map(({ level, logger, data }, index) => (
          <li key={index}>
            <span class="tag">
              <Name value={level} max={20} />
            </span>{' '}
            {logger !== undefined && <LongText value={`${logger}:`} max={60} />}{' '}
            {isObject(data) || Array.isArray(data) ? (
              <JsonTree value={data} />
            ) : (
              <LongText value={String(data)} max={400} />
            )}
          </li>
        ))}
      </ol>
    </details>
  )
}
