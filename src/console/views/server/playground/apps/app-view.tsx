import './app.css'
import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { APP_ORIGIN_KINDS, type AppOrigins } from '../../../../../shared/app-policy.ts'
import { Button } from '../../../../components/button.tsx'
import { Loading, Problem } from '../../../../components/loaded.tsx'
import { shown } from '../../../../components/text.tsx'
import { JsonTree, LeaveDialog } from '../../../../schema-form/results/main.ts'
import type { Call } from '../call.ts'
import { DestructiveDialog } from '../destructive-dialog.tsx'
import type { Place } from '../place.ts'
import type { Playground } from '../playground.ts'
import { QuestionForm } from '../question-form.tsx'
import { type AppQuestion, type AppReport, AppSession, type LoadedApp } from './app-session.ts'
import type { AppSource } from './app-source.ts'
import { connectApp } from './host-bridge.ts'

export interface AppViewProps {
  call: Call
  playground: Playground
  place: Place
}

/** The app of a tool, with the arguments and the result of a call. */
export function AppView({ call, playground, place }: AppViewProps) {
  const attempt = useSignal(0)
  const session = useMemo(() => new AppSession(call, playground), [call, playground, attempt.value])
  useEffect(() => {
    void session.load()
    return () => session.stop()
  }, [session])
  const state = session.state.value
  const question = session.calls.value.flatMap(({ questions }) => questions.value)[0]
  const start = () => {
    attempt.value++
  }
  return (
    <section class="pg-app" aria-label="App">
      {state.status === 'loading' && <Loading what="the app" />}
      {state.status === 'failed' && <Problem error={state.error} onRetry={start} />}
      {state.status === 'shown' && <AppFrame session={session} app={state} />}
      {(state.status === 'shown' || state.status === 'stopped') && <Line session={session} onStart={start} />}
      {question && <QuestionForm key={question.id} question={question} />}
      <Reports reports={session.reports.value} />
      {session.question.value && <Ask question={session.question.value} place={place} />}
    </section>
  )
}

/** The page of the frame needs its own origin. The app inside it has none. */
function AppFrame({ session, app }: { session: AppSession; app: LoadedApp }) {
  const frame = useRef<HTMLIFrameElement>(null)
  // A layout effect, to listen before the browser reports that its policy refuses the frame.
  useLayoutEffect(() => connectApp(session, app, frame.current!), [session])
  return (
    <iframe
      ref={frame}
      title={`App of ${shown(session.call.entry.name, 100)}`}
      sandbox="allow-scripts allow-same-origin allow-forms"
      referrerpolicy="no-referrer"
      src={frameUrl(app)}
      style={{ height: `${session.height.value}px` }}
    />
  )
}

function frameUrl({ frames, source: { origins } }: LoadedApp): string {
  const search = APP_ORIGIN_KINDS.flatMap(kind => origins[kind].map(origin => [kind, origin]))
  return `${frames}/frame?${new URLSearchParams(search)}`
}

/** Status of the app with a button. Preact updates the button in place, so it keeps the focus when its action changes. */
function Line({ session, onStart }: { session: AppSession; onStart(): void }) {
  const state = session.state.value
  const isShown = state.status === 'shown'
  return (
    <div class="pg-line">
      <span class="muted" role="status">
        {isShown ? originsText(state.source) : 'The app was stopped.'}
      </span>
      {isShown ? (
        <Button
          kind="quiet"
          icon="stop"
          class="spread"
          busy={session.isEnding.value}
          onClick={() => session.end()}
        >
          Stop the app
        </Button>
      ) : (
        <Button kind="quiet" icon="restart" class="spread" onClick={onStart}>
          Start the app
        </Button>
      )}
    </div>
  )
}

function originsText({ origins, refused }: AppSource): string {
  const text = usedText(origins)
  if (refused.length === 0) return text
  return `${text} Not allowed: ${listText(refused)}. Apps may only use public host names over TLS.`
}

function usedText(origins: AppOrigins): string {
  const used = new Set(APP_ORIGIN_KINDS.flatMap(kind => origins[kind]))
  return used.size > 0 ? `The app uses ${listText([...used])}.` : 'The app uses no other sites.'
}

function listText(origins: readonly string[]): string {
  return shown(origins.join(', '), 500)
}

/** Shows messages from the app, because the playground has no chat or model to send them to. */
function Reports({ reports }: { reports: readonly AppReport[] }) {
  const isOpen = useSignal(false)
  if (reports.length === 0) return null
  return (
    <details class="pg-logs" onToggle={event => (isOpen.value = event.currentTarget.open)}>
      <summary>
        {reports.length} {reports.length === 1 ? 'message' : 'messages'} from the app
      </summary>
      <ol>
        {(isOpen.value ? reports : []).map(({ kind, content }, index) => (
          <li key={index}>
            <span class="tag">{kind}</span> <JsonTree value={content} />
          </li>
        ))}
      </ol>
    </details>
  )
}

/** The app wants to open a page or to run a tool that can delete data. */
function Ask({ question, place }: { question: AppQuestion; place: Place }) {
  if (question.kind === 'link') return <LeaveDialog url={question.url} onClose={question.answer} />
  return (
    <DestructiveDialog
      tool={question.entry.id}
      place={place}
      args={question.args}
      onConfirm={() => question.answer(true)}
      onClose={() => question.answer(false)}
    />
  )
}
