import './call.css'
import { formatMs } from '../../../../shared/format/metric-format.ts'
import { CopyButton } from '../../../components/copy.tsx'
import { State } from '../../../components/state.tsx'
import { Time } from '../../../components/time.tsx'
import { isObject } from '../../../mcp/messages.ts'
import { JsonTree, LongText } from '../../../schema-form/main.ts'
import type { Call, LogMessage, Outcome, Progress } from './call.ts'
import { CallResult } from './call-result.tsx'
import type { Place } from './place.ts'
import type { Playground } from './playground.ts'
import { QuestionForm } from './question-form.tsx'

/** A call as it happens: progress, messages, questions, and what came of it. */
export function CallPanel({ call, playground, place }: { call: Call; playground: Playground; place: Place }) {
  const outcome = call.outcome.value
  const isRunning = outcome.status === 'running'
  return (
    <section class="pg-card" aria-labelledby={`pg-call-${call.id}`} aria-busy={isRunning}>
      <div class="pg-line">
        <h2 id={`pg-call-${call.id}`}>Result</h2>
        <OutcomeState outcome={outcome} />
        <span class="muted">
          <Time at={new Date(call.startedAt).toISOString()} />
        </span>
        {outcome.status === 'answered' && (
          <CopyButton text={JSON.stringify(outcome.result, null, 2)} what="the result as JSON" />
        )}
      </div>
      {isRunning && <ProgressBar progress={call.progress.value} />}
      {call.questions.value.slice(0, 1).map((question, index) => (
        <QuestionForm key={index} question={question} />
      ))}
      <Logs logs={call.logs.value} />
      <CallResult call={call} playground={playground} place={place} />
    </section>
  )
}

/** The state of a call in one word, with its duration. */
export function OutcomeState({ outcome }: { outcome: Outcome }) {
  const isError = outcome.status === 'answered' && outcome.result.isError === true
  const value = isError ? 'tool error' : outcome.status
  return (
    <span role="status" class="pg-outcome">
      <State value={value} />
      {outcome.status !== 'running' && <span class="muted">{formatMs(outcome.durationMs)}</span>}
    </span>
  )
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
            <span class="tag">{level.slice(0, 20)}</span>{' '}
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
